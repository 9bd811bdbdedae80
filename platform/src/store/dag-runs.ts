import type { Queryable } from './database.ts';

export interface LockedRun {
  readonly id: number;
  readonly dagId: string;
  readonly runId: string;
  readonly state: 'queued' | 'running';
  readonly versionId: number;
  readonly lockEpoch: number;
  readonly dagFile: string;
}

const RETURNING = `r.id, r.dag_id as "dagId", r.run_id as "runId", r.state, r.version_id as "versionId", r.lock_epoch as "lockEpoch", d.file as "dagFile"`;

/** Takes unfinished runs that nobody holds, oldest first. Runs of a paused DAG go on, but none of them begins. */
export async function claimRuns(
  client: Queryable,
  jobId: number,
  leaseMs: number,
  limit: number,
): Promise<LockedRun[]> {
  const { rows } = await client.query<LockedRun>(
    `update dag_run r set lock_id = $1, lock_epoch = r.lock_epoch + 1, lock_expires_at = now() + $2 * interval '1 ms'
       from (select f.id from dag_run f join dag p on p.dag_id = f.dag_id
              where f.state in ('queued', 'running') and (f.lock_id is null or f.lock_expires_at < now())
                and (f.state = 'running' or not p.is_paused)
              order by f.queued_at, f.id limit $3 for update of f skip locked) c, dag d
      where r.id = c.id and d.dag_id = r.dag_id returning ${RETURNING}`,
    [jobId, leaseMs, limit],
  );
  return rows;
}

/** Runs that were handed to this job by its lock id, and that it does not know yet. */
export async function runsHandedTo(client: Queryable, jobId: number, known: readonly number[]): Promise<LockedRun[]> {
  const { rows } = await client.query<LockedRun>(
    `select ${RETURNING} from dag_run r join dag d on d.dag_id = r.dag_id
      where r.lock_id = $1 and r.state in ('queued', 'running') and not r.id = any($2)`,
    [jobId, known],
  );
  return rows;
}

/** Begins a queued run unless its DAG has as many running as it may; counted under the DAG's lock. */
export async function beginRun(client: Queryable, run: LockedRun, maxActiveRuns: number): Promise<boolean> {
  await client.query('select 1 from dag where dag_id = $1 for update', [run.dagId]);
  const { rowCount } = await client.query(
    `update dag_run set state = 'running', started_at = coalesce(started_at, now())
      where id = $1 and lock_epoch = $2 and state = 'queued'
        and (select count(*) from dag_run a where a.dag_id = $3 and a.state = 'running') < $4`,
    [run.id, run.lockEpoch, run.dagId, maxActiveRuns],
  );
  return rowCount === 1;
}

export async function releaseRun(client: Queryable, id: number, lockEpoch: number): Promise<void> {
  await client.query('update dag_run set lock_id = null, lock_expires_at = null where id = $1 and lock_epoch = $2', [
    id,
    lockEpoch,
  ]);
}

/** Only for the job that holds the lock: answers false if it has lost it. */
export async function endRun(
  client: Queryable,
  id: number,
  lockEpoch: number,
  state: 'success' | 'failed',
  reason: string,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `update dag_run set state = $3, reason = $4, ended_at = now(), lock_id = null, lock_expires_at = null
      where id = $1 and lock_epoch = $2 and state = 'running'`,
    [id, lockEpoch, state, reason],
  );
  await client.query("select pg_notify('windhover_run', '')");
  return rowCount === 1;
}
