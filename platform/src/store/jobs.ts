import type { Queryable } from './database.ts';

export interface NewJob {
  readonly type: string;
  readonly hostname: string;
  readonly pid: number;
  readonly leaseMs: number;
}

export async function insertJob(client: Queryable, { type, hostname, pid, leaseMs }: NewJob): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `insert into job (type, hostname, pid, expires_at) values ($1, $2, $3, now() + $4 * interval '1 ms') returning id`,
    [type, hostname, pid, leaseMs],
  );
  return rows[0]!.id;
}

/** Renews the job and the locks of its runs; answers the database's clock. */
export async function renewJob(client: Queryable, jobId: number, leaseMs: number): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>(
    `with renewed as (update dag_run set lock_expires_at = now() + $2 * interval '1 ms' where lock_id = $1 and state in ('queued', 'running'))
     update job set heartbeat_at = now(), expires_at = now() + $2 * interval '1 ms' where id = $1 returning now()::timestamptz(3) as now`,
    [jobId, leaseMs],
  );
  return rows[0]!.now;
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
