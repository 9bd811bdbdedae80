import type { TaskInstanceState } from '@windhover/core';
import { COLUMNS, type RunFacts, SELECT_LIST, type TaskInstanceRow } from '../task-instances/task-instance-row.ts';
import type { Queryable } from './database.ts';

export type LockedTaskInstance = TaskInstanceRow & RunFacts & { readonly now: Date };

/** Locks rows in the order of their ids, which is the order everybody takes, and reads them. */
export async function lockTaskInstances(client: Queryable, ids: readonly number[]): Promise<LockedTaskInstance[]> {
  const { rows } = await client.query<LockedTaskInstance>(
    `select ${SELECT_LIST}, r.dag_id as "dagId", r.run_id as "runId", r.version_id as "versionId", now()::timestamptz(3) as now
       from task_instance t join dag_run r on r.id = t.dag_run_id
      where t.id = any($1) order by t.id for update of t`,
    [ids],
  );
  return rows;
}

export async function getTaskInstances(client: Queryable, dagRunId: number): Promise<TaskInstanceRow[]> {
  const { rows } = await client.query<TaskInstanceRow>(
    `select ${SELECT_LIST} from task_instance t where t.dag_run_id = $1 order by t.id`,
    [dagRunId],
  );
  return rows;
}

export async function getTaskInstancesById(client: Queryable, ids: readonly number[]): Promise<TaskInstanceRow[]> {
  const { rows } = await client.query<TaskInstanceRow>(
    `select ${SELECT_LIST} from task_instance t where t.id = any($1) order by t.id`,
    [ids],
  );
  return rows;
}

/** A run as those look at it that come after it. */
export async function getPastRun(
  client: Queryable,
  dagRunId: number,
): Promise<{ id: number; isFinished: boolean; states: ReadonlyMap<string, TaskInstanceState> }> {
  const { rows } = await client.query<{ isFinished: boolean; states: Record<string, TaskInstanceState> | null }>(
    `select r.state in ('success', 'failed') as "isFinished",
            (select jsonb_object_agg(t.task_id, t.state) from task_instance t where t.dag_run_id = r.id) as states
       from dag_run r where r.id = $1`,
    [dagRunId],
  );
  return {
    id: dagRunId,
    isFinished: rows[0]?.isFinished ?? true,
    states: new Map(Object.entries(rows[0]?.states ?? {})),
  };
}

/** Only what is needed to choose among the tasks of a run. */
export async function getTaskStates(
  client: Queryable,
  dagRunId: number,
): Promise<Pick<TaskInstanceRow, 'id' | 'taskId' | 'mapIndex' | 'state'>[]> {
  const { rows } = await client.query(
    `select id, task_id as "taskId", map_index as "mapIndex", state from task_instance where dag_run_id = $1 order by id`,
    [dagRunId],
  );
  return rows;
}

/** Writes all changeable columns of many rows in one statement. */
export async function updateTaskInstances(client: Queryable, rows: readonly TaskInstanceRow[]): Promise<void> {
  await client.query(UPDATE, [JSON.stringify(rows.map(toJson))]);
}

export async function insertTaskInstances(
  client: Queryable,
  dagRunId: number,
  tasks: readonly NewTaskInstance[],
): Promise<void> {
  await client.query(
    `insert into task_instance (dag_run_id, task_id, pool, pool_slots, priority_weight, queue, executor)
     select $1, n."taskId", n.pool, n."poolSlots", n."priorityWeight", n.queue, n.executor
       from jsonb_to_recordset($2) as n("taskId" text, pool text, "poolSlots" int, "priorityWeight" float8, queue text, executor text)
     on conflict do nothing`,
    [dagRunId, JSON.stringify(tasks)],
  );
}

export interface NewTaskInstance {
  readonly taskId: string;
  readonly pool: string;
  readonly poolSlots: number;
  readonly priorityWeight: number;
  readonly queue: string;
  readonly executor: string | null;
}

const TYPES: Partial<Record<keyof TaskInstanceRow, string>> = {
  id: 'bigint',
  tryNumber: 'int',
  attempt: 'int',
  epoch: 'bigint',
  signalVersion: 'bigint',
  queuedByJob: 'bigint',
  triggerId: 'bigint',
  triggerTimeout: 'timestamptz',
  resumeAt: 'timestamptz',
  deadlineAt: 'timestamptz',
  sensorStartedAt: 'timestamptz',
  scheduledAt: 'timestamptz',
  queuedAt: 'timestamptz',
  startedAt: 'timestamptz',
  runningSince: 'timestamptz',
  deferredSince: 'timestamptz',
  endedAt: 'timestamptz',
  runningMs: 'bigint',
  queuedMs: 'bigint',
  deferredMs: 'bigint',
  pid: 'int',
  error: 'jsonb',
};
const FIXED = new Set<string>(['id', 'dagRunId', 'taskId', 'mapIndex', 'pool', 'poolSlots']);
const CHANGEABLE = (Object.keys(COLUMNS) as (keyof TaskInstanceRow)[]).filter((field) => !FIXED.has(field));
const UPDATE = `update task_instance t set ${CHANGEABLE.map(
  (field) => `${COLUMNS[field]} = ${field === 'nextKwargs' ? 'decode(r."nextKwargs", \'base64\')' : `r."${field}"`}`,
).join(', ')}
  from jsonb_to_recordset($1) as r(${['id' as const, ...CHANGEABLE].map((field) => `"${field}" ${TYPES[field] ?? 'text'}`).join(', ')})
 where t.id = r.id`;

function toJson(row: TaskInstanceRow): object {
  return { ...row, nextKwargs: row.nextKwargs?.toString('base64') ?? null };
}
