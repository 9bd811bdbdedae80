import type { Json, SerializedError, TaskInstanceState } from '@windhover/core';
import { type RunFacts, SELECT_LIST, type TaskInstanceRow } from '../task-instances/task-instance-row.ts';
import type { Queryable } from './database.ts';

/** A task instance as people see it: its row with where it belongs. */
export interface LocatedTaskInstance extends TaskInstanceRow, RunFacts {
  readonly queue: string;
  readonly priorityWeight: number;
  /** The database's clock. */
  readonly now: Date;
}

export interface TaskPlace {
  readonly dagId: string;
  readonly runId: string;
  readonly taskId: string;
  readonly mapIndex: number;
}

/** In the order of the DAG, which is the order in which they were made. */
export async function listTaskInstances(
  client: Queryable,
  dagRunId: number,
  state: TaskInstanceState | null,
  afterId: number | null,
  limit: number,
): Promise<LocatedTaskInstance[]> {
  const { rows } = await client.query<LocatedTaskInstance>(
    `${SELECT} where t.dag_run_id = $1 and ($2::text is null or t.state = $2) and ($3::bigint is null or t.id > $3)
      order by t.id limit $4`,
    [dagRunId, state, afterId, limit],
  );
  return rows;
}

export async function getTaskInstance(client: Queryable, place: TaskPlace): Promise<LocatedTaskInstance | null> {
  const { rows } = await client.query<LocatedTaskInstance>(
    `${SELECT} where r.dag_id = $1 and r.run_id = $2 and t.task_id = $3 and t.map_index = $4`,
    [place.dagId, place.runId, place.taskId, place.mapIndex],
  );
  return rows[0] ?? null;
}

export interface AttemptRow {
  readonly attempt: number;
  readonly tryNumber: number;
  readonly epoch: number;
  readonly state: TaskInstanceState;
  readonly reason: string | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date;
  readonly runningMs: number;
  readonly deferredMs: number;
  readonly error: SerializedError | null;
}

/** Oldest first. The epoch rises with each of them. */
export async function listAttempts(
  client: Queryable,
  taskInstanceId: number,
  afterEpoch: number | null,
  limit: number,
): Promise<AttemptRow[]> {
  const { rows } = await client.query<AttemptRow>(
    `${SELECT_ATTEMPT} and ($2::bigint is null or epoch > $2) order by epoch limit $3`,
    [taskInstanceId, afterEpoch, limit],
  );
  return rows;
}

export async function getLastAttempt(client: Queryable, taskInstanceId: number): Promise<AttemptRow | null> {
  const { rows } = await client.query<AttemptRow>(`${SELECT_ATTEMPT} order by epoch desc limit 1`, [taskInstanceId]);
  return rows[0] ?? null;
}

export interface XComRow {
  readonly key: string;
  readonly value: Json | null;
  readonly reference: Json | null;
  readonly attempt: number;
  readonly createdAt: Date;
}

/** By key. */
export async function listXComs(
  client: Queryable,
  { dagRunId, taskId, mapIndex }: Pick<TaskInstanceRow, 'dagRunId' | 'taskId' | 'mapIndex'>,
  afterKey: string | null,
  limit: number,
): Promise<XComRow[]> {
  const { rows } = await client.query<XComRow>(
    `${SELECT_XCOM} and ($4::text is null or key > $4) order by key limit $5`,
    [dagRunId, taskId, mapIndex, afterKey, limit],
  );
  return rows;
}

export async function getXComRow(
  client: Queryable,
  { dagRunId, taskId, mapIndex }: Pick<TaskInstanceRow, 'dagRunId' | 'taskId' | 'mapIndex'>,
  key: string,
): Promise<XComRow | null> {
  const { rows } = await client.query<XComRow>(`${SELECT_XCOM} and key = $4`, [dagRunId, taskId, mapIndex, key]);
  return rows[0] ?? null;
}

const SELECT = `select ${SELECT_LIST}, t.queue, t.priority_weight as "priorityWeight", r.dag_id as "dagId",
       r.run_id as "runId", r.version_id as "versionId", now()::timestamptz(3) as now
  from task_instance t join dag_run r on r.id = t.dag_run_id`;

const SELECT_ATTEMPT = `select attempt, try_number as "tryNumber", epoch, state, reason, started_at as "startedAt",
       ended_at as "endedAt", running_ms as "runningMs", deferred_ms as "deferredMs", error
  from task_attempt where task_instance_id = $1`;

const SELECT_XCOM = `select key, value, reference, attempt, created_at as "createdAt" from xcom
 where dag_run_id = $1 and task_id = $2 and map_index = $3`;
