import type { DagRunState, Json } from '@windhover/core';
import type { Database, Queryable } from './database.ts';

export interface LockedRun {
  readonly id: number;
  readonly dagId: string;
  readonly runId: string;
  readonly state: 'queued' | 'running';
  readonly versionId: number;
  readonly lockEpoch: number;
  readonly dagFile: string;
  readonly logicalDate: Date;
  readonly queuedAt: Date;
  readonly startedAt: Date | null;
  readonly backfillId: number | null;
}

const RETURNING = `r.id, r.dag_id as "dagId", r.run_id as "runId", r.state, r.version_id as "versionId", r.lock_epoch as "lockEpoch",
  d.file as "dagFile", r.logical_date as "logicalDate", r.queued_at as "queuedAt", r.started_at as "startedAt", r.backfill_id as "backfillId"`;

/** Which runs a job takes. */
export interface RunClaim {
  readonly jobId: number;
  readonly leaseMs: number;
  readonly limit: number;
  /** Null: of all DAGs. */
  readonly dagIds: readonly string[] | null;
}

/**
 * Takes runs that nobody holds: first those that are under way, then queued ones, oldest first, as many as their DAG may
 * have at once. A paused DAG or backfill begins none, but what has begun goes on. Runs of a backfill count only there.
 *
 * The cost grows with the number of DAGs, not with the number of queued runs.
 */
export async function claimRuns(client: Queryable, claim: RunClaim): Promise<LockedRun[]> {
  const { rows } = await client.query<LockedRun>(
    `with room as (
       select d.dag_id, d.max_active_runs
              - (select count(*) from dag_run a where a.dag_id = d.dag_id and a.state = 'running' and a.backfill_id is null) as free
         from dag d where not d.is_paused and ($4::text[] is null or d.dag_id = any($4))
          and exists (select 1 from dag_run q where q.dag_id = d.dag_id and q.state = 'queued')),
     begin as (
       select c.id from room cross join lateral (
         select f.id from dag_run f where f.dag_id = room.dag_id and f.state = 'queued' and f.backfill_id is null
            and (f.lock_id is null or f.lock_expires_at < now())
          order by f.queued_at, f.id limit greatest(room.free, 0)) c
       union all
       select f.id from room join dag_run f on f.dag_id = room.dag_id and f.state = 'queued'
         join backfill b on b.id = f.backfill_id where not b.is_paused and (f.lock_id is null or f.lock_expires_at < now())),
     chosen as (
       select f.id from dag_run f
        where (f.lock_id is null or f.lock_expires_at < now())
          and ((f.state = 'running' and ($4::text[] is null or f.dag_id = any($4))) or (f.state = 'queued' and f.id in (select id from begin)))
        order by f.state desc, f.queued_at, f.id limit $3 for update skip locked)
     update dag_run r set lock_id = $1, lock_epoch = r.lock_epoch + 1, lock_expires_at = now() + $2 * interval '1 ms'
       from chosen c, dag d where r.id = c.id and d.dag_id = r.dag_id returning ${RETURNING}`,
    [claim.jobId, claim.leaseMs, claim.limit, claim.dagIds],
  );
  return rows.sort((a, b) => a.queuedAt.getTime() - b.queuedAt.getTime() || a.id - b.id);
}

/** Runs that were handed to this job by its lock id, and that it does not know yet. */
export async function runsHandedTo(client: Queryable, jobId: number, known: readonly number[]): Promise<LockedRun[]> {
  const { rows } = await client.query<LockedRun>(
    `select ${RETURNING} from dag_run r join dag d on d.dag_id = r.dag_id
      where r.lock_id = $1 and r.state in ('queued', 'running') and not r.id = any($2) order by r.queued_at, r.id`,
    [jobId, known],
  );
  return rows;
}

/** Begins a queued run unless its DAG has as many running as it may; counted under the DAG's lock. */
export async function beginRun(client: Queryable, run: LockedRun, maxActiveRuns: number): Promise<Date | null> {
  await client.query('select 1 from dag where dag_id = $1 for update', [run.dagId]);
  const { rows } = await client.query<{ startedAt: Date }>(
    `update dag_run set state = 'running', started_at = coalesce(started_at, now())
      where id = $1 and lock_epoch = $2 and state = 'queued' and (backfill_id is not null or
            (select count(*) from dag_run a where a.dag_id = $3 and a.state = 'running' and a.backfill_id is null) < $4)
      returning started_at as "startedAt"`,
    [run.id, run.lockEpoch, run.dagId, maxActiveRuns],
  );
  return rows[0]?.startedAt ?? null;
}

export async function releaseRun(client: Queryable, id: number, lockEpoch: number): Promise<void> {
  await client.query('update dag_run set lock_id = null, lock_expires_at = null where id = $1 and lock_epoch = $2', [
    id,
    lockEpoch,
  ]);
}

export interface RunEnd {
  readonly id: number;
  readonly lockEpoch: number;
  readonly state: 'success' | 'failed';
  readonly reason: string;
  /** Called for this end, if the DAG has it. */
  readonly callback: 'onSuccess' | 'onFailure' | null;
  /** Pauses the DAG after so many failed runs in a row; 0 never. */
  readonly maxConsecutiveFailedRuns: number;
  /** It ends though tasks have not: it timed out, or they can never run. */
  readonly evenIfUnfinished: boolean;
}

/**
 * Ends a run, for the job that holds its lock. `lost`: it holds it no longer. `unfinished`: a task was cleared
 * meanwhile, so it goes on. A clear locks the run's row too: whichever comes second sees the first.
 */
export async function endRun(database: Database, end: RunEnd): Promise<'ended' | 'lost' | 'unfinished'> {
  return database.transaction(async (client) => {
    const { rows } = await client.query<{ dagId: string }>(
      `select dag_id as "dagId" from dag_run where id = $1 and lock_epoch = $2 and state = 'running' for no key update`,
      [end.id, end.lockEpoch],
    );
    if (!rows[0]) return 'lost';
    if (!end.evenIfUnfinished && (await hasUnfinishedTasks(client, end.id))) return 'unfinished';
    await client.query(
      `update dag_run set state = $2, reason = $3, ended_at = now(), lock_id = null, lock_expires_at = null where id = $1`,
      [end.id, end.state, end.reason],
    );
    await client.query('update deadline set is_met = true where dag_run_id = $1 and is_met is null', [end.id]);
    if (end.callback) {
      const facts = JSON.stringify({ state: end.state, reason: end.reason });
      await client.query('insert into callback_outbox (dag_run_id, callback, facts) values ($1, $2, $3)', [
        end.id,
        end.callback,
        facts,
      ]);
    }
    if (end.state === 'failed' && end.maxConsecutiveFailedRuns > 0)
      await pauseAfterFailures(client, rows[0].dagId, end.maxConsecutiveFailedRuns);
    await client.query("select pg_notify('windhover_run', '')");
    return 'ended';
  });
}

async function hasUnfinishedTasks(client: Queryable, dagRunId: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from task_instance where dag_run_id = $1
        and state not in ('success', 'failed', 'skipped', 'upstream_failed', 'stopped', 'removed') limit 1`,
    [dagRunId],
  );
  return rowCount === 1;
}

async function pauseAfterFailures(client: Queryable, dagId: string, limit: number): Promise<void> {
  await client.query(
    `update dag set is_paused = true where dag_id = $1 and
       (select count(*) = $2 and bool_and(l.state = 'failed') from (select state from dag_run
         where dag_id = $1 and state in ('success', 'failed') order by ended_at desc limit $2) l)`,
    [dagId, limit],
  );
}

/** By a user's word; whoever holds the lock has lost it. */
export async function markRun(
  client: Queryable,
  id: number,
  state: 'success' | 'failed',
  reason: string,
): Promise<void> {
  await client.query(
    `update dag_run set state = $2, reason = $3, ended_at = now(), lock_id = null, lock_expires_at = null, lock_epoch = lock_epoch + 1
      where id = $1`,
    [id, state, reason],
  );
  await client.query("select pg_notify('windhover_run', '')");
}

/** Takes finished runs up again, because tasks of theirs were cleared or marked. Answers how many had finished. */
export async function reopenRuns(client: Queryable, ids: readonly number[]): Promise<number> {
  await client.query('select 1 from dag_run where id = any($1) order by id for no key update', [ids]);
  const { rowCount } = await client.query(
    `update dag_run set state = 'queued', queued_at = now(), ended_at = null, reason = null,
            lock_id = null, lock_expires_at = null, lock_epoch = lock_epoch + 1
      where id = any($1) and state in ('success', 'failed')`,
    [ids],
  );
  return rowCount ?? 0;
}

/** Hands a run to a job, or to nobody (null): only that job then executes it. Answers the new lock epoch, or null. */
export async function lockRun(
  client: Queryable,
  id: number,
  lock: { readonly jobId: number; readonly leaseMs: number } | null,
): Promise<number | null> {
  const { rows } = await client.query<{ lockEpoch: number }>(
    `update dag_run set lock_id = $2, lock_expires_at = now() + $3 * interval '1 ms', lock_epoch = lock_epoch + 1
      where id = $1 and state in ('queued', 'running') and ($2::bigint is null or lock_id is null or lock_id = $2 or lock_expires_at < now())
      returning lock_epoch as "lockEpoch"`,
    [id, lock?.jobId ?? null, lock?.leaseMs ?? null],
  );
  await client.query("select pg_notify('windhover_run', '')");
  return rows[0]?.lockEpoch ?? null;
}

export interface StoredRun {
  readonly id: number;
  readonly dagId: string;
  readonly runId: string;
  readonly state: DagRunState;
  readonly versionId: number;
  readonly logicalDate: Date;
  readonly conf: Readonly<Record<string, Json>>;
  readonly reason: string | null;
  readonly lockId: number | null;
  readonly lockEpoch: number;
}

const STORED = `id, dag_id as "dagId", run_id as "runId", state, version_id as "versionId", logical_date as "logicalDate",
  conf, reason, lock_id as "lockId", lock_epoch as "lockEpoch"`;

export async function findRun(client: Queryable, dagId: string, runId: string): Promise<StoredRun | null> {
  const { rows } = await client.query<StoredRun>(`select ${STORED} from dag_run where dag_id = $1 and run_id = $2`, [
    dagId,
    runId,
  ]);
  return rows[0] ?? null;
}

/** The run before this one, by logical date; for tasks that wait for the past. */
export async function previousRunId(client: Queryable, dagId: string, logicalDate: Date): Promise<number | null> {
  const { rows } = await client.query<{ id: number }>(
    'select id from dag_run where dag_id = $1 and logical_date < $2 order by logical_date desc limit 1',
    [dagId, logicalDate],
  );
  return rows[0]?.id ?? null;
}

export async function setRunConf(client: Queryable, id: number, conf: Readonly<Record<string, Json>>): Promise<void> {
  await client.query('update dag_run set conf = $2 where id = $1', [id, JSON.stringify(conf)]);
}

/** Runs under way that no living job holds. */
export async function abandonedRuns(client: Queryable, dagId: string): Promise<StoredRun[]> {
  const { rows } = await client.query<StoredRun>(
    `select ${STORED} from dag_run where dag_id = $1 and state = 'running' and (lock_id is null or lock_expires_at < now())`,
    [dagId],
  );
  return rows;
}
