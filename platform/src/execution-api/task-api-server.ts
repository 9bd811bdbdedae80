import {
  Connection,
  type ConnectionFields,
  connectionVariable,
  type HeartbeatAnswer,
  type Json,
  type LogStore,
  type LogStream,
  type RunStatesRequest,
  resolveParams,
  type SerializedDagRun,
  type SerializedRunStates,
  StaleEpochError,
  type StartedTask,
  type StepRecord,
  type TaskApi,
  type TaskHandOff,
  type TaskInstanceState,
  type TriggerDagRunRequest,
  type UnaddressedLogChunk,
  type WorkerIdentity,
  type XComQuery,
  type XComValue,
} from '@windhover/core';
import { createDagRun } from '../dag-runs/create-dag-run.ts';
import type { DagVersions } from '../dags/dag-versions.ts';
import type { Database } from '../store/database.ts';
import { getSteps, putStep } from '../store/task-history.ts';
import { getXCom, putXComs } from '../store/xcoms.ts';
import { type ChangeWriter, type Cipher, NEXT_PURPOSE } from '../task-instances/change-writer.ts';
import type { TaskChange } from '../task-instances/task-change.ts';
import type { RunFacts, TaskInstanceRow } from '../task-instances/task-instance-row.ts';
import { NotYetError } from './not-yet-error.ts';

export interface TaskApiServerOptions {
  readonly database: Database;
  readonly writer: ChangeWriter;
  readonly cipher: Cipher;
  readonly versions: DagVersions;
  readonly logStore: LogStore;
  /** Connections may be given there. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: 5 seconds. */
  readonly heartbeatIntervalMs?: number;
  /** What a task that is to stop gets before its process is killed. Default: 5 seconds. */
  readonly graceMs?: number;
}

type LocatedTask = TaskInstanceRow & RunFacts;

/** The platform's side of `TaskApi`. Whoever holds an older epoch is answered `StaleEpochError`, and nothing changes. */
export class TaskApiServer implements TaskApi {
  readonly #options: TaskApiServerOptions;

  constructor(options: TaskApiServerOptions) {
    this.#options = options;
  }

  async start(handOff: TaskHandOff, worker: WorkerIdentity): Promise<StartedTask> {
    const { row, now } = await this.#change(handOff, { type: 'start', worker });
    const { database, versions, cipher } = this.#options;
    const run = await this.#runOf(row);
    const version = versions.get(row.versionId)!;
    const next = row.nextKwargs
      ? (cipher.decrypt(row.nextKwargs, NEXT_PURPOSE) as unknown as Pick<StartedTask, 'resume' | 'event'>)
      : { resume: null, event: null };
    const hasSteps = row.tryNumber > 1 || row.nextMethod !== null;
    return {
      token: '',
      key: { dagId: row.dagId, runId: row.runId, taskId: row.taskId, mapIndex: row.mapIndex },
      dagFile: run.file,
      versionHash: version.hash,
      tryNumber: row.tryNumber,
      attempt: row.attempt,
      logicalDate: run.logicalDate.toISOString(),
      dataInterval: { start: run.intervalStart.toISOString(), end: run.intervalEnd.toISOString() },
      runType: run.runType,
      params: resolveParams(row.dagId, version.dag.params, run.conf),
      conf: run.conf,
      sensorStartedAt: (row.sensorStartedAt ?? now).toISOString(),
      signals: {},
      deadlineAt: row.deadlineAt?.toISOString() ?? null,
      now: now.toISOString(),
      heartbeatIntervalMs: this.#options.heartbeatIntervalMs ?? 5000,
      resume: next.resume,
      event: next.event,
      steps: hasSteps ? (await getSteps(database, row.id)).map((step) => this.#openStep(step)) : [],
      secretsToMask: [],
    };
  }

  async heartbeat(handOff: TaskHandOff): Promise<HeartbeatAnswer> {
    const row = await this.#held(handOff);
    if (row.requestedAction === null) return { action: 'continue' };
    return { action: 'stop', reason: row.requestedAction, graceMs: this.#options.graceMs ?? 5000 };
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
    const { dagRunId } = await this.#held(handOff);
    const { rows } = await this.#options.database.query<{ id: number; epoch: number }>(
      'select id, epoch from task_instance where dag_run_id = $1 and task_id = any($2)',
      [dagRunId, taskIds],
    );
    await this.#options.writer.submitAll(rows.map(({ id, epoch }) => ({ id, epoch, type: 'skip' })));
  }

  async getSteps(handOff: TaskHandOff): Promise<readonly StepRecord[]> {
    const { id } = await this.#held(handOff);
    return (await getSteps(this.#options.database, id)).map((step) => this.#openStep(step));
  }

  async putStep(handOff: TaskHandOff, { value, ...step }: StepRecord): Promise<void> {
    const { database, cipher } = this.#options;
    const sealed = { ...step, value: cipher.encrypt(value === undefined ? [] : [value], STEP_PURPOSE) };
    if (!(await putStep(database, Number(handOff.taskInstanceId), handOff.epoch, sealed))) throw stale(handOff);
  }

  async getXCom(handOff: TaskHandOff, { dagId, runId, ...place }: XComQuery): Promise<XComValue> {
    const row = await this.#held(handOff);
    const isOwnRun = (dagId ?? row.dagId) === row.dagId && (runId ?? row.runId) === row.runId;
    const run = isOwnRun ? { dagRunId: row.dagRunId } : { dagId: dagId ?? row.dagId, runId: runId ?? row.runId };
    const found = await getXCom(this.#options.database, run, place);
    if (!found) return { type: 'none' };
    return found.reference === null
      ? { type: 'value', value: found.value }
      : { type: 'reference', reference: found.reference };
  }

  async putXCom(handOff: TaskHandOff, key: string, value: XComValue): Promise<void> {
    const { dagRunId, taskId, mapIndex, attempt } = await this.#held(handOff);
    if (value.type === 'none') return;
    await putXComs(this.#options.database, [
      { value: null, reference: null, ...value, dagRunId, taskId, mapIndex, attempt, key },
    ]);
  }

  async connection(handOff: TaskHandOff, connId: string): Promise<ConnectionFields | null> {
    await this.#held(handOff);
    const { database, cipher, env } = this.#options;
    const uri = env[connectionVariable(connId)];
    if (uri) return Connection.fromUri(connId, uri).toFields();
    const { rows } = await database.query<{ fields: Buffer }>('select fields from connection where conn_id = $1', [
      connId,
    ]);
    return rows[0]
      ? (cipher.decrypt(rows[0].fields, `connection.fields:${connId}`) as unknown as ConnectionFields)
      : null;
  }

  async variable(handOff: TaskHandOff, key: string): Promise<string | null> {
    await this.#held(handOff);
    const { rows } = await this.#options.database.query<{ value: Buffer }>(
      'select value from variable where key = $1',
      [key],
    );
    return rows[0] ? (this.#options.cipher.decrypt(rows[0].value, `variable.value:${key}`) as string) : null;
  }

  async log(handOff: TaskHandOff, chunks: readonly UnaddressedLogChunk[]): Promise<void> {
    const { rows } = await this.#options.database.query<Omit<Extract<LogStream, { type: 'task' }>, 'type'>>(
      `select r.dag_id as "dagId", r.run_id as "runId", t.task_id as "taskId", t.map_index as "mapIndex", t.attempt
         from task_instance t join dag_run r on r.id = t.dag_run_id where t.id = $1`,
      [handOff.taskInstanceId],
    );
    if (!rows[0]) throw stale(handOff);
    const stream: LogStream = { type: 'task', ...rows[0] };
    await this.#options.logStore.append(chunks.map((chunk) => ({ ...chunk, stream })));
  }

  async triggerDagRun(
    handOff: TaskHandOff,
    dagId: string,
    { conf, logicalDate, dedupeKey }: TriggerDagRunRequest,
  ): Promise<SerializedDagRun> {
    await this.#held(handOff);
    const date = logicalDate === null ? {} : { logicalDate: new Date(logicalDate) };
    const run = await createDagRun(this.#options.database, { dagId, runType: 'manual', conf, dedupeKey, ...date });
    return { dagId, runId: run.runId, logicalDate: run.logicalDate.toISOString() };
  }

  async runStates(_handOff: TaskHandOff, request: RunStatesRequest): Promise<readonly SerializedRunStates[]> {
    const { rows } = await this.#options.database.query<{
      runId: string;
      logicalDate: Date;
      state: SerializedRunStates['state'];
      tasks: Record<string, TaskInstanceState> | null;
    }>(
      `select r.run_id as "runId", r.logical_date as "logicalDate", r.state,
              (select jsonb_object_agg(t.task_id, t.state) from task_instance t
                where t.dag_run_id = r.id and (t.task_id = any($4) or t.task_id like $5)) as tasks
         from dag_run r where r.dag_id = $1 and (
           case when $2::text[] is null and $3::timestamptz[] is null then r.state in ('queued', 'running')
                else r.run_id = any($2) or r.logical_date = any($3) end) order by r.logical_date`,
      [
        request.dagId,
        request.runIds ?? null,
        request.logicalDates ?? null,
        request.taskIds ?? [],
        request.taskGroupId ? `${request.taskGroupId}.%` : '',
      ],
    );
    return rows.map(({ tasks, logicalDate, ...run }) => ({
      ...run,
      logicalDate: logicalDate.toISOString(),
      tasks: tasks ?? {},
    }));
  }

  sendSignal(): Promise<never> {
    return Promise.reject(new NotYetError('sendSignal', 'signals'));
  }

  startCallback(): Promise<never> {
    return Promise.reject(new NotYetError('startCallback', 'callbacks'));
  }

  finishCallback(): Promise<never> {
    return Promise.reject(new NotYetError('finishCallback', 'callbacks'));
  }

  startConnectionTest(): Promise<never> {
    return Promise.reject(new NotYetError('startConnectionTest', 'connection tests'));
  }

  finishConnectionTest(): Promise<never> {
    return Promise.reject(new NotYetError('finishConnectionTest', 'connection tests'));
  }

  /** Submits a change under the epoch of the hand-off. */
  async #change(
    handOff: TaskHandOff,
    change: DistributiveOmit<Extract<TaskChange, { epoch: number }>, 'id' | 'epoch'>,
  ): Promise<{ row: LocatedTask; now: Date }> {
    const whole = { ...change, id: Number(handOff.taskInstanceId), epoch: handOff.epoch } as TaskChange;
    const { answer, row, now } = await this.#options.writer.submit(whole);
    if (answer === 'stale' || !row) throw stale(handOff);
    return { row, now };
  }

  async #held(
    handOff: TaskHandOff,
  ): Promise<
    Pick<LocatedTask, 'id' | 'dagRunId' | 'taskId' | 'mapIndex' | 'attempt' | 'requestedAction' | 'dagId' | 'runId'>
  > {
    const { rows } = await this.#options.database.query(
      `select t.id, t.dag_run_id as "dagRunId", t.task_id as "taskId", t.map_index as "mapIndex", t.attempt,
              t.requested_action as "requestedAction", r.dag_id as "dagId", r.run_id as "runId"
         from task_instance t join dag_run r on r.id = t.dag_run_id where t.id = $1 and t.epoch = $2`,
      [handOff.taskInstanceId, handOff.epoch],
    );
    if (!rows[0]) throw stale(handOff);
    return rows[0];
  }

  async #runOf(row: LocatedTask): Promise<StoredRun> {
    const { rows } = await this.#options.database.query<StoredRun>(
      `select d.file, r.logical_date as "logicalDate", r.interval_start as "intervalStart", r.interval_end as "intervalEnd",
              r.run_type as "runType", r.conf from dag_run r join dag d on d.dag_id = r.dag_id where r.id = $1`,
      [row.dagRunId],
    );
    return rows[0]!;
  }

  #openStep({ value, ...step }: Omit<StepRecord, 'value'> & { value: Buffer }): StepRecord {
    const [opened] = this.#options.cipher.decrypt(value, STEP_PURPOSE) as Json[];
    return opened === undefined ? step : { ...step, value: opened };
  }
}

interface StoredRun {
  readonly file: string;
  readonly logicalDate: Date;
  readonly intervalStart: Date;
  readonly intervalEnd: Date;
  readonly runType: StartedTask['runType'];
  readonly conf: Readonly<Record<string, Json>>;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A step's value in a list, so that a step without one can be told from one with null. */
const STEP_PURPOSE = 'task_step.value';

function stale({ taskInstanceId, epoch }: TaskHandOff): StaleEpochError {
  return new StaleEpochError(`Task instance ${taskInstanceId}`, epoch);
}
