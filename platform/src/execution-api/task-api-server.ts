import {
  type CallbackHandOff,
  type ConnectionFields,
  type HeartbeatAnswer,
  type LogStore,
  type RunStatesRequest,
  type SerializedDagRun,
  type SerializedRunStates,
  StaleEpochError,
  type StartedCallback,
  type StartedConnectionTest,
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
import { finishConnectionTest, startConnectionTest } from '../connections/connection-tests.ts';
import type { Lookup } from '../connections/lookup.ts';
import { createDagRun } from '../dag-runs/create-dag-run.ts';
import type { DagVersions } from '../dags/dag-versions.ts';
import { endCallback } from '../store/callbacks.ts';
import type { Database } from '../store/database.ts';
import { getHeldXCom, getSiblings, isHeld, putHeldXCom } from '../store/hand-offs.ts';
import type { Notifications } from '../store/notifications.ts';
import { readRunStates } from '../store/run-states.ts';
import { putStep } from '../store/task-history.ts';
import type { ChangeWriter, Cipher } from '../task-instances/change-writer.ts';
import type { TaskChange } from '../task-instances/task-change.ts';
import type { RunFacts, TaskInstanceRow } from '../task-instances/task-instance-row.ts';
import { LogStreams } from './log-streams.ts';
import { NotYetError } from './not-yet-error.ts';
import { startedCallback } from './started-callback.ts';
import { readSteps, sealStep, startedTask } from './started-task.ts';
import { StopRequests } from './stop-requests.ts';

export interface TaskApiServerOptions {
  readonly database: Database;
  readonly writer: ChangeWriter;
  readonly cipher: Cipher;
  readonly versions: DagVersions;
  readonly logStore: LogStore;
  readonly lookup: Lookup;
  readonly notifications: Pick<Notifications, 'on'>;
  /** Default: 5 seconds. */
  readonly heartbeatIntervalMs?: number;
  /** What a task that is to stop gets before its process is killed. Default: 5 seconds. */
  readonly graceMs?: number;
}

/**
 * The platform's side of `TaskApi`. Whoever holds an older epoch is answered `StaleEpochError`, and nothing changes.
 *
 * Who speaks is checked where it costs nothing: by the compare-and-set of a write, and by the very statement that reads
 * (`store/hand-offs.ts`). A check of its own have only those calls whose answer comes from elsewhere: connections and
 * variables, other runs, a run to be created. It is never answered from memory: an old epoch must get no secret, and
 * another process may have raised it a moment ago. Only `log` does without, and says why.
 */
export class TaskApiServer implements TaskApi {
  readonly #options: TaskApiServerOptions;
  readonly #logStreams: LogStreams;
  readonly #stopRequests: StopRequests;

  constructor(options: TaskApiServerOptions) {
    this.#options = options;
    this.#logStreams = new LogStreams(options.database);
    this.#stopRequests = new StopRequests(options.database, options.writer, options.notifications);
  }

  async start(handOff: TaskHandOff, worker: WorkerIdentity): Promise<StartedTask> {
    const { row, now } = await this.#change(handOff, { type: 'start', worker });
    const started = await startedTask(this.#options, row, now);
    this.#logStreams.remember(handOff, { type: 'task', ...started.key, attempt: started.attempt });
    return { ...started, heartbeatIntervalMs: this.#options.heartbeatIntervalMs ?? 5000 };
  }

  async heartbeat(handOff: TaskHandOff, waitMs = 0, signal?: AbortSignal): Promise<HeartbeatAnswer> {
    const reason = await this.#stopRequests.next(handOff, waitMs, signal);
    if (reason === 'stale') throw stale(handOff);
    return reason === null
      ? { action: 'continue' }
      : { action: 'stop', reason, graceMs: this.#options.graceMs ?? 5000 };
  }

  async defer(handOff: TaskHandOff, deferral: Parameters<TaskApi['defer']>[1]): Promise<void> {
    await this.#change(handOff, { type: 'defer', deferral });
  }

  async reschedule(handOff: TaskHandOff, { at, resume }: Parameters<TaskApi['reschedule']>[1]): Promise<void> {
    await this.#change(handOff, { type: 'reschedule', at: new Date(at), resume });
  }

  async finish(handOff: TaskHandOff, report: Parameters<TaskApi['finish']>[1]): Promise<void> {
    await this.#change(handOff, { type: 'finish', report });
  }

  /** Only tasks that have not started: the compare-and-set leaves the others alone. */
  async skipDownstream(handOff: TaskHandOff, taskIds: readonly string[]): Promise<void> {
    const siblings = await getSiblings(this.#options.database, handOff, taskIds);
    if (!siblings) throw stale(handOff);
    await this.#options.writer.submitAll(siblings.map((sibling) => ({ ...sibling, type: 'skip' })));
  }

  async getSteps(handOff: TaskHandOff): Promise<readonly StepRecord[]> {
    await this.#check(handOff);
    return readSteps(this.#options, Number(handOff.taskInstanceId));
  }

  async putStep(handOff: TaskHandOff, record: StepRecord): Promise<void> {
    const { database, cipher } = this.#options;
    const { taskInstanceId, epoch } = handOff;
    if (!(await putStep(database, Number(taskInstanceId), epoch, sealStep(cipher, record)))) throw stale(handOff);
  }

  async getXCom(handOff: TaskHandOff | CallbackHandOff, query: XComQuery): Promise<XComValue> {
    const found = await getHeldXCom(this.#options.database, handOff, query);
    if (!found) throw stale(handOff);
    const { isFound, value, reference } = found;
    if (!isFound) return { type: 'none' };
    return reference === null ? { type: 'value', value } : { type: 'reference', reference };
  }

  async putXCom(handOff: TaskHandOff, key: string, value: XComValue): Promise<void> {
    if (value.type === 'none') return this.#check(handOff);
    if (!(await putHeldXCom(this.#options.database, handOff, key, value))) throw stale(handOff);
  }

  async connection(handOff: TaskHandOff | CallbackHandOff, connId: string): Promise<ConnectionFields | null> {
    await this.#check(handOff);
    return this.#options.lookup.connection(connId);
  }

  async variable(handOff: TaskHandOff | CallbackHandOff, key: string): Promise<string | null> {
    await this.#check(handOff);
    return this.#options.lookup.variable(key);
  }

  async log(handOff: TaskHandOff | CallbackHandOff, chunks: readonly UnaddressedLogChunk[]): Promise<void> {
    const stream = await this.#logStreams.find(handOff);
    if (!stream) throw stale(handOff);
    await this.#options.logStore.append(chunks.map((chunk) => ({ ...chunk, stream })));
  }

  async triggerDagRun(
    handOff: TaskHandOff,
    dagId: string,
    { conf, logicalDate, dedupeKey }: TriggerDagRunRequest,
  ): Promise<SerializedDagRun> {
    await this.#check(handOff);
    const date = logicalDate === null ? {} : { logicalDate: new Date(logicalDate) };
    const run = await createDagRun(this.#options.database, { dagId, runType: 'manual', conf, dedupeKey, ...date });
    return { dagId, runId: run.runId, logicalDate: run.logicalDate.toISOString() };
  }

  async runStates(
    handOff: TaskHandOff | CallbackHandOff,
    request: RunStatesRequest,
  ): Promise<readonly SerializedRunStates[]> {
    await this.#check(handOff);
    return readRunStates(this.#options.database, request);
  }

  sendSignal(): Promise<never> {
    return Promise.reject(new NotYetError('sendSignal', 'signals'));
  }

  startCallback(callbackId: string): Promise<StartedCallback | null> {
    return startedCallback(this.#options, callbackId);
  }

  finishCallback(callbackId: string, error: Parameters<TaskApi['finishCallback']>[1]): Promise<void> {
    return endCallback(this.#options.database, callbackId, error);
  }

  startConnectionTest(testId: string): Promise<StartedConnectionTest> {
    return startConnectionTest(this.#options, testId);
  }

  finishConnectionTest(testId: string, result: Parameters<TaskApi['finishConnectionTest']>[1]): Promise<void> {
    return finishConnectionTest(this.#options.database, testId, result);
  }

  /** Submits a change under the epoch of the hand-off. */
  async #change(
    handOff: TaskHandOff,
    change: DistributiveOmit<Extract<TaskChange, { epoch: number }>, 'id' | 'epoch'>,
  ): Promise<{ row: TaskInstanceRow & RunFacts; now: Date }> {
    const whole = { ...change, id: Number(handOff.taskInstanceId), epoch: handOff.epoch } as TaskChange;
    const { answer, row, now } = await this.#options.writer.submit(whole);
    if (answer === 'stale' || !row) throw stale(handOff);
    return { row, now };
  }

  async #check(handOff: TaskHandOff | CallbackHandOff): Promise<void> {
    if (!(await isHeld(this.#options.database, handOff))) throw stale(handOff);
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

function stale(handOff: TaskHandOff | CallbackHandOff): StaleEpochError {
  return 'callbackId' in handOff
    ? new StaleEpochError(`Callback ${handOff.callbackId}`, 0)
    : new StaleEpochError(`Task instance ${handOff.taskInstanceId}`, handOff.epoch);
}
