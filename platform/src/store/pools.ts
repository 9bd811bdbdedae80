import type { Queryable } from './database.ts';

export interface PoolSettings {
  readonly name: string;
  /** −1 means no limit. */
  readonly slots: number;
  readonly includeDeferred: boolean;
  readonly description: string;
}

/** A pool and what is in it now. */
export interface PoolUse extends PoolSettings {
  /** As its limit counts them: deferred tasks only where the pool includes them. */
  readonly occupiedSlots: number;
  readonly deferredTasks: number;
}

/** By name. */
export async function listPools(client: Queryable, afterName: string | null, limit: number): Promise<PoolUse[]> {
  const { rows } = await client.query<PoolUse>(
    `${SELECT} where $1::text is null or p.name > $1 group by p.name order by p.name limit $2`,
    [afterName, limit],
  );
  return rows;
}

export async function getPool(client: Queryable, name: string): Promise<PoolUse | null> {
  const { rows } = await client.query<PoolUse>(`${SELECT} where p.name = $1 group by p.name`, [name]);
  return rows[0] ?? null;
}

/** Creates or replaces it. Schedulers are woken: a task may have been waiting for a slot. */
export async function putPool(client: Queryable, pool: PoolSettings): Promise<void> {
  await client.query(
    `insert into pool (name, slots, include_deferred, description) values ($1, $2, $3, $4)
     on conflict (name) do update set slots = $2, include_deferred = $3, description = $4`,
    [pool.name, pool.slots, pool.includeDeferred, pool.description],
  );
  await client.query("select pg_notify('windhover_run', '')");
}

/** Answers whether there was one. */
export async function deletePool(client: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from pool where name = $1', [name]);
  return rowCount === 1;
}

const SELECT = `select p.name, p.slots, p.include_deferred as "includeDeferred", p.description,
       coalesce(sum(a.pool_slots) filter (where p.include_deferred or not a.is_deferred), 0)::int as "occupiedSlots",
       (count(*) filter (where a.is_deferred))::int as "deferredTasks"
  from pool p left join active_task a on a.pool = p.name`;
