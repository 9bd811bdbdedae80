import type { DagRunState, TaskInstanceState, TriggerProgress } from '@windhover/core';
import type { Queryable } from './database.ts';

// What a task can wait for: tasks above it, its own past, a place among the active ones, its trigger.

export async function getTaskStatesOf(
  client: Queryable,
  dagRunId: number,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, TaskInstanceState>> {
  const { rows } = await client.query<{ taskId: string; state: TaskInstanceState }>(
    'select task_id as "taskId", state from task_instance where dag_run_id = $1 and task_id = any($2)',
    [dagRunId, taskIds],
  );
  return new Map(rows.map(({ taskId, state }) => [taskId, state]));
}

export interface PastTask {
  readonly runId: string;
  readonly runState: DagRunState;
  /** Null where that run has not made its tasks yet, or did not have this one. */
  readonly state: TaskInstanceState | null;
}

/** The same task in the run before; null where there is none. */
export async function getPastTask(
  client: Queryable,
  dagRunId: number,
  taskId: string,
  mapIndex: number,
): Promise<PastTask | null> {
  const { rows } = await client.query<PastTask>(
    `select b.run_id as "runId", b.state as "runState", t.state
       from dag_run r
       join lateral (select p.id, p.run_id, p.state from dag_run p where p.dag_id = r.dag_id
                      and p.logical_date < r.logical_date order by p.logical_date desc limit 1) b on true
       left join task_instance t on t.dag_run_id = b.id and t.task_id = $2 and t.map_index = $3
      where r.id = $1`,
    [dagRunId, taskId, mapIndex],
  );
  return rows[0] ?? null;
}

/** How many tasks count against the limits of a DAG and of one of its tasks. */
export async function countActive(
  client: Queryable,
  dagId: string,
  taskId: string,
): Promise<{ readonly ofDag: number; readonly ofTask: number }> {
  const { rows } = await client.query<{ ofDag: number; ofTask: number }>(
    `select count(*)::int as "ofDag", (count(*) filter (where task_id = $2))::int as "ofTask" from active_task where dag_id = $1`,
    [dagId, taskId],
  );
  return rows[0]!;
}

export interface TriggerRow {
  readonly id: number;
  readonly classpath: string;
  readonly createdAt: Date;
  readonly notBefore: Date | null;
  readonly queue: string;
  readonly triggererId: string | null;
  /** Whether that triggerer is alive. */
  readonly isHeld: boolean;
  readonly lastPoll: TriggerProgress | null;
}

export async function getTrigger(client: Queryable, id: number): Promise<TriggerRow | null> {
  const { rows } = await client.query<TriggerRow>(
    `select t.id, t.classpath, t.created_at as "createdAt", t.not_before as "notBefore", t.queue,
            t.triggerer_id as "triggererId", t.last_poll as "lastPoll",
            exists (select 1 from job j where j.type = 'Triggerer' and j.name = t.triggerer_id
                       and j.state = 'running' and j.expires_at > now()) as "isHeld"
       from trigger t where t.id = $1`,
    [id],
  );
  return rows[0] ?? null;
}
