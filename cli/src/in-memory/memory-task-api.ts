import {
  type CallbackHandOff,
  type ConnectionFields,
  type HeartbeatAnswer,
  type Json,
  type RunStatesRequest,
  type SendSignalOptions,
  type SerializedDagRun,
  type SerializedRunStates,
  type SignalVersion,
  StaleEpochError,
  type StartedCallback,
  type StartedTask,
  type StepRecord,
  type TaskApi,
  type TaskHandOff,
  type TriggerDagRunRequest,
  type UnaddressedLogChunk,
  type WorkerIdentity,
  type XComQuery,
  type XComValue,
} from '@windhover/core';
import type { TaskChange, TaskInstanceRow } from '@windhover/platform';
import type { MemoryRun } from './memory-run.ts';
import type { MemoryServices } from './memory-services.ts';
import type { Report } from './test-event.ts';

export interface MemoryTaskApiOptions {
  readonly run: MemoryRun;
  readonly services: MemoryServices;
  readonly report: Report;
}

/** `TaskApi` over a run in memory. Whoever holds an older epoch is answered `StaleEpochError`, as by the platform. */
export class MemoryTaskApi implements TaskApi {
  readonly #run: MemoryRun;
  readonly #services: MemoryServices;
  readonly #report: Report;

  constructor({ run, services, report }: MemoryTaskApiOptions) {
    this.#run = run;
    this.#services = services;
    this.#report = report;
  }

  async start(handOff: TaskHandOff, worker: WorkerIdentity): Promise<StartedTask> {
    const row = this.#change(handOff, { type: 'start', worker });
    const now = new Date().toISOString();
    return {
      ...this.#services.taskFacts(row),
      token: '',
      sensorStartedAt: row.sensorStartedAt?.toISOString() ?? now,
      deadlineAt: row.deadlineAt?.toISOString() ?? null,
      now,
      heartbeatIntervalMs: 5_000,
      ...(this.#run.nextOf(row.taskId) ?? { resume: null, event: null }),
      steps: this.#run.stepsOf(row.taskId),
    };
  }

  /** Nobody asks a task to stop here: Ctrl-C aborts it. */
  async heartbeat(handOff: TaskHandOff): Promise<HeartbeatAnswer> {
    this.#held(handOff);
    return { action: 'continue' };
  }

  async defer(handOff: TaskHandOff, deferral: Parameters<TaskApi['defer']>[1]): Promise<void> {
    this.#change(handOff, { type: 'defer', deferral });
  }

  async reschedule(handOff: TaskHandOff, { at, resume }: Parameters<TaskApi['reschedule']>[1]): Promise<void> {
    this.#change(handOff, { type: 'reschedule', at: new Date(at), resume });
  }

  async finish(handOff: TaskHandOff, report: Parameters<TaskApi['finish']>[1]): Promise<void> {
    this.#change(handOff, { type: 'finish', report });
  }

  async skipDownstream(handOff: TaskHandOff, taskIds: readonly string[]): Promise<void> {
    const { taskId } = this.#held(handOff);
    const rows = taskIds.flatMap((skipped) => this.#run.rows.get(skipped) ?? []);
    for (const { id, epoch } of rows) this.#run.submit({ id, epoch, type: 'skip' });
    if (rows.length < taskIds.length) this.#services.note(taskId, `It skips ${taskIds.join(', ')}.`);
  }

  async getSteps(handOff: TaskHandOff): Promise<readonly StepRecord[]> {
    return this.#run.stepsOf(this.#held(handOff).taskId);
  }

  async putStep(handOff: TaskHandOff, record: StepRecord): Promise<void> {
    this.#run.putStep(this.#held(handOff).taskId, record);
  }

  async getXCom(handOff: TaskHandOff | CallbackHandOff, query: XComQuery): Promise<XComValue> {
    return this.#services.xcom(this.#asking(handOff), query);
  }

  async putXCom(handOff: TaskHandOff, key: string, value: XComValue): Promise<void> {
    const { taskId } = this.#held(handOff);
    if (value.type !== 'none') this.#run.putXCom(taskId, key, value);
  }

  async connection(handOff: TaskHandOff | CallbackHandOff, connId: string): Promise<ConnectionFields | null> {
    return this.#services.connection(this.#asking(handOff), connId);
  }

  async variable(handOff: TaskHandOff | CallbackHandOff, key: string): Promise<string | null> {
    return this.#services.variable(this.#asking(handOff), key);
  }

  async log(handOff: TaskHandOff | CallbackHandOff, chunks: readonly UnaddressedLogChunk[]): Promise<void> {
    const taskId = this.#asking(handOff);
    const source = 'callbackId' in handOff ? 'callback' : 'task';
    for (const { records } of chunks)
      for (const record of records) this.#report({ type: 'log', taskId, source, ...record });
  }

  async sendSignal(
    handOff: TaskHandOff | CallbackHandOff,
    key: string,
    value: Json,
    options: SendSignalOptions,
  ): Promise<SignalVersion> {
    return this.#services.sendSignal(this.#asking(handOff) ?? '', key, value, options);
  }

  async triggerDagRun(handOff: TaskHandOff, dagId: string, request: TriggerDagRunRequest): Promise<SerializedDagRun> {
    return this.#services.triggerDagRun(this.#held(handOff).taskId, dagId, request);
  }

  async runStates(
    handOff: TaskHandOff | CallbackHandOff,
    request: RunStatesRequest,
  ): Promise<readonly SerializedRunStates[]> {
    this.#asking(handOff);
    return this.#services.runStates(request);
  }

  async startCallback(callbackId: string): Promise<StartedCallback> {
    const { version, runId, dagFile } = this.#run.facts;
    const { dagId } = version.dag;
    const { name, taskId, state, error, tryNumber, attempt } = this.#run.callbacks[Number(callbackId)]!;
    const run = this.#services.runFacts();
    return {
      token: '',
      dagFile,
      callback:
        taskId === null
          ? { type: 'dag', name: name as 'onFailure' | 'onSuccess', dagId, runId }
          : { type: 'task', name, key: { dagId, runId, taskId, mapIndex: -1 } },
      state,
      error,
      facts: { ...run, tryNumber, attempt, now: new Date().toISOString() },
    };
  }

  /** The log has its error, and nothing follows from it. */
  async finishCallback(): Promise<void> {}

  startConnectionTest(testId: string): Promise<never> {
    return Promise.reject(new Error(`Nobody has asked for connection test ${testId}: there is a run here, no more.`));
  }

  finishConnectionTest(testId: string): Promise<never> {
    return this.startConnectionTest(testId);
  }

  /** Under the epoch of the hand-off. */
  #change(handOff: TaskHandOff, change: HandOffChange): TaskInstanceRow {
    const whole = { ...change, id: Number(handOff.taskInstanceId), epoch: handOff.epoch } as TaskChange;
    return this.#run.submit(whole) ?? stale(handOff);
  }

  /** Whose question it is; null for a callback of the DAG itself. */
  #asking(handOff: TaskHandOff | CallbackHandOff): string | null {
    return 'callbackId' in handOff
      ? this.#run.callbacks[Number(handOff.callbackId)]!.taskId
      : this.#held(handOff).taskId;
  }

  #held(handOff: TaskHandOff): TaskInstanceRow {
    const row = this.#run.rowOf(Number(handOff.taskInstanceId));
    return row?.epoch === handOff.epoch ? row : stale(handOff);
  }
}

type HandOffChange = DistributiveOmit<Extract<TaskChange, { epoch: number }>, 'id' | 'epoch'>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

function stale({ taskInstanceId, epoch }: TaskHandOff): never {
  throw new StaleEpochError(`Task instance ${taskInstanceId}`, epoch);
}
