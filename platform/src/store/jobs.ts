import type { Queryable } from './database.ts';

export interface NewJob {
  readonly type: string;
  readonly hostname: string;
  readonly pid: number;
  readonly leaseMs: number;
  /** See `hostId`. Null where it cannot be told. */
  readonly hostId: string | null;
}

export async function insertJob(client: Queryable, { type, hostname, pid, leaseMs, hostId }: NewJob): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `insert into job (type, hostname, pid, host_id, expires_at) values ($1, $2, $3, $4, now() + $5 * interval '1 ms') returning id`,
    [type, hostname, pid, hostId, leaseMs],
  );
  return rows[0]!.id;
}

/** Renews the job and the locks of its runs. Answers the database's clock and the runs it still holds. */
export async function renewJob(
  client: Queryable,
  jobId: number,
  leaseMs: number,
): Promise<{ readonly now: Date; readonly runIds: readonly number[] }> {
  const { rows } = await client.query<{ now: Date; runIds: number[] | null }>(
    `with renewed as (update dag_run set lock_expires_at = now() + $2 * interval '1 ms'
                       where lock_id = $1 and state in ('queued', 'running') returning id),
          beaten as (update job set heartbeat_at = now(), expires_at = now() + $2 * interval '1 ms', state = 'running', ended_at = null where id = $1)
     select now()::timestamptz(3) as now, (select jsonb_agg(id) from renewed) as "runIds"`,
    [jobId, leaseMs],
  );
  return { now: rows[0]!.now, runIds: rows[0]!.runIds ?? [] };
}

/** Hands its runs back at once, so that another job need not wait for the lease to end. */
export async function endJob(client: Queryable, jobId: number): Promise<void> {
  await client.query('update dag_run set lock_id = null, lock_expires_at = null where lock_id = $1', [jobId]);
  await client.query("update job set state = 'ended', ended_at = now(), expires_at = now() where id = $1", [jobId]);
  await client.query("select pg_notify('windhover_run', '')");
}

/** Which of these jobs are over: ended in order, or silent for longer than their lease. */
export async function deadJobs(client: Queryable, jobIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await client.query<{ id: number }>(
    "select id from job where id = any($1) and not (state = 'running' and expires_at > now())",
    [jobIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Jobs of this machine that count as alive. */
export async function livingJobsOn(
  client: Queryable,
  hostId: string,
): Promise<readonly { readonly id: number; readonly pid: number }[]> {
  const { rows } = await client.query<{ id: number; pid: number }>(
    "select id, pid from job where host_id = $1 and state = 'running' and expires_at > now()",
    [hostId],
  );
  return rows;
}

/** Their processes are gone: their leases end soon instead of in full length. Never later than they would have. */
export async function shortenLeases(client: Queryable, jobIds: readonly number[], leaseMs: number): Promise<void> {
  await client.query(
    `with shortened as (update job set expires_at = least(expires_at, now() + $2 * interval '1 ms') where id = any($1))
     update dag_run set lock_expires_at = least(lock_expires_at, now() + $2 * interval '1 ms')
      where lock_id = any($1) and state in ('queued', 'running')`,
    [jobIds, leaseMs],
  );
}

/**
 * For whoever has a database to itself: what has not ended in order has died. Worker processes notice too, and need up to
 * a second to end.
 */
export async function abandonJobs(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ id: number }>(
    "select id from job where state = 'running' and expires_at > now()",
  );
  if (rows.length > 0)
    await shortenLeases(
      client,
      rows.map(({ id }) => id),
      WORKERS_END_MS,
    );
}

/** Twice what a worker process takes to end when its scheduler is gone. */
export const WORKERS_END_MS = 2_000;
