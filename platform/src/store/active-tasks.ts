import type { Queryable } from './database.ts';

/** Tasks that hold a slot, or wait deferred, counted by what limits them. */
export interface ActiveCount {
  readonly dagId: string;
  readonly taskId: string;
  readonly pool: string;
  readonly isDeferred: boolean;
  readonly slots: number;
  readonly count: number;
}

export interface PoolRow {
  readonly name: string;
  /** −1 means no limit. */
  readonly slots: number;
  readonly includeDeferred: boolean;
}

/** Whoever queues tasks takes this first, so that two schedulers do not fill the same slot. */
export async function lockQueueing(client: Queryable): Promise<{ active: ActiveCount[]; pools: PoolRow[] }> {
  await client.query('select pg_advisory_xact_lock($1)', [QUEUE_LOCK]);
  const active = await client.query<ActiveCount>(
    `select dag_id as "dagId", task_id as "taskId", pool, is_deferred as "isDeferred", sum(pool_slots)::int as slots, count(*)::int as count
       from active_task group by 1, 2, 3, 4`,
  );
  const pools = await client.query<PoolRow>('select name, slots, include_deferred as "includeDeferred" from pool');
  return { active: active.rows, pools: pools.rows };
}

export interface NewActiveTask {
  readonly taskInstanceId: number;
  readonly dagId: string;
  readonly taskId: string;
  readonly dagRunId: number;
  readonly pool: string;
  readonly poolSlots: number;
}

export async function takeSlots(client: Queryable, tasks: readonly NewActiveTask[]): Promise<void> {
  await client.query(
    `insert into active_task (task_instance_id, dag_id, task_id, dag_run_id, pool, pool_slots)
     select n."taskInstanceId", n."dagId", n."taskId", n."dagRunId", n.pool, n."poolSlots"
       from jsonb_to_recordset($1) as n("taskInstanceId" bigint, "dagId" text, "taskId" text, "dagRunId" bigint, pool text, "poolSlots" int)
     on conflict (task_instance_id) do update set is_deferred = false`,
    [JSON.stringify(tasks)],
  );
}

export async function releaseSlots(client: Queryable, ids: readonly number[]): Promise<void> {
  await client.query('delete from active_task where task_instance_id = any($1)', [ids]);
}

export async function parkSlots(client: Queryable, ids: readonly number[]): Promise<void> {
  await client.query('update active_task set is_deferred = true where task_instance_id = any($1)', [ids]);
}

const QUEUE_LOCK = 0x77_68_03;
