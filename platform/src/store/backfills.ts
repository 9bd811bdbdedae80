import type { Json } from '@windhover/core';
import type { Queryable } from './database.ts';

/** What becomes of runs that exist already: left alone, run again where they failed, or all run again. */
export type Reprocess = 'none' | 'failed' | 'all';

export interface BackfillRow {
  readonly id: number;
  readonly dagId: string;
  readonly from: Date;
  readonly to: Date;
  readonly maxActiveRuns: number;
  readonly isReverse: boolean;
  readonly reprocess: Reprocess;
  readonly conf: Readonly<Record<string, Json>>;
  readonly isPaused: boolean;
  readonly isCancelled: boolean;
  readonly totalRuns: number;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export interface RunProgress {
  readonly totalDagRuns: number;
  readonly finishedDagRuns: number;
  readonly totalTasks: number;
  readonly finished: number;
  readonly succeeded: number;
  readonly skipped: number;
  readonly failed: number;
  readonly running: number;
  readonly deferred: number;
  readonly queued: number;
}

export type Backfill = BackfillRow & { readonly progress: RunProgress };

const COLUMNS = `b.id, b.dag_id as "dagId", b.from_date as "from", b.to_date as "to", b.max_active_runs as "maxActiveRuns",
  b.is_reverse as "isReverse", b.reprocess, b.conf, b.is_paused as "isPaused", b.is_cancelled as "isCancelled",
  b.total_runs as "totalRuns", b.created_at as "createdAt", b.ended_at as "endedAt"`;

export async function insertBackfill(
  client: Queryable,
  backfill: Omit<BackfillRow, 'id' | 'isPaused' | 'isCancelled' | 'createdAt' | 'endedAt'>,
): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `insert into backfill (dag_id, from_date, to_date, max_active_runs, is_reverse, reprocess, conf, total_runs)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
    [
      backfill.dagId,
      backfill.from,
      backfill.to,
      backfill.maxActiveRuns,
      backfill.isReverse,
      backfill.reprocess,
      JSON.stringify(backfill.conf),
      backfill.totalRuns,
    ],
  );
  return rows[0]!.id;
}

export interface AdvancingBackfill extends BackfillRow {
  readonly nextPosition: number;
  readonly unfinishedRuns: number;
}

/** Backfills that may go on, each locked until the transaction ends; those that others look after are left out. */
export async function lockBackfills(client: Queryable, ids: readonly number[] | null): Promise<AdvancingBackfill[]> {
  const { rows } = await client.query<AdvancingBackfill>(
    `select ${COLUMNS}, b.next_position as "nextPosition",
            (select count(*)::int from dag_run r where r.backfill_id = b.id and r.state in ('queued', 'running')) as "unfinishedRuns"
       from backfill b where b.ended_at is null and not b.is_paused and ($1::bigint[] is null or b.id = any($1))
      order by b.id for no key update skip locked`,
    [ids],
  );
  return rows;
}

export async function moveBackfill(client: Queryable, id: number, nextPosition: number): Promise<void> {
  await client.query('update backfill set next_position = $2 where id = $1', [id, nextPosition]);
}

export async function endBackfill(client: Queryable, id: number): Promise<void> {
  await client.query('update backfill set ended_at = now() where id = $1', [id]);
}

/** Counts a run that exists already as one of the backfill's. */
export async function adoptRun(client: Queryable, runId: number, backfillId: number): Promise<void> {
  await client.query('update dag_run set backfill_id = $2 where id = $1', [runId, backfillId]);
}

export async function setBackfillPaused(client: Queryable, id: number, isPaused: boolean): Promise<boolean> {
  const { rowCount } = await client.query(
    'update backfill set is_paused = $2 where id = $1 and ended_at is null and not is_cancelled',
    [id, isPaused],
  );
  return rowCount === 1;
}

/** No more runs are made; those that have not begun never will; those that have begun go on. */
export async function setBackfillCancelled(client: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `update backfill set is_cancelled = true, is_paused = false where id = $1 and ended_at is null`,
    [id],
  );
  await client.query(
    `update dag_run set state = 'failed', reason = 'its backfill was cancelled', ended_at = now(), lock_id = null, lock_epoch = lock_epoch + 1
      where backfill_id = $1 and state = 'queued'`,
    [id],
  );
  return rowCount === 1;
}

export async function getBackfill(client: Queryable, id: number): Promise<Backfill | null> {
  const { rows } = await client.query<BackfillRow>(`select ${COLUMNS} from backfill b where b.id = $1`, [id]);
  return rows[0] ? ((await withProgress(client, rows))[0] ?? null) : null;
}

/** Newest first. */
export async function listBackfills(
  client: Queryable,
  page: { readonly dagId?: string; readonly limit: number; readonly beforeId?: number },
): Promise<Backfill[]> {
  const { rows } = await client.query<BackfillRow>(
    `select ${COLUMNS} from backfill b where ($1::text is null or b.dag_id = $1) and ($2::bigint is null or b.id < $2) order by b.id desc limit $3`,
    [page.dagId ?? null, page.beforeId ?? null, page.limit],
  );
  return withProgress(client, rows);
}

async function withProgress(client: Queryable, backfills: readonly BackfillRow[]): Promise<Backfill[]> {
  const { rows } = await client.query<Omit<RunProgress, 'totalDagRuns'> & { id: number }>(
    `select b.id, runs."finishedDagRuns",
            b.total_runs * (select jsonb_array_length(v.serialized -> 'tasks') from dag d join dag_version v on v.id = d.version_id where d.dag_id = b.dag_id) as "totalTasks",
            tasks.*
       from backfill b,
            lateral (select count(*) filter (where state in ('success', 'failed'))::int as "finishedDagRuns" from dag_run r where r.backfill_id = b.id) runs,
            lateral (select ${TASK_COUNTS} from dag_run r join task_instance t on t.dag_run_id = r.id where r.backfill_id = b.id) tasks
      where b.id = any($1)`,
    [backfills.map(({ id }) => id)],
  );
  const counts = new Map(rows.map(({ id, ...progress }) => [id, progress]));
  return backfills.map((backfill) => ({
    ...backfill,
    progress: { totalDagRuns: backfill.totalRuns, ...counts.get(backfill.id)! },
  }));
}

const TASK_COUNTS = `
  count(*) filter (where t.state in ('success', 'failed', 'skipped', 'upstream_failed', 'stopped', 'removed'))::int as finished,
  count(*) filter (where t.state = 'success')::int as succeeded,
  count(*) filter (where t.state = 'skipped')::int as skipped,
  count(*) filter (where t.state in ('failed', 'upstream_failed'))::int as failed,
  count(*) filter (where t.state = 'running')::int as running,
  count(*) filter (where t.state = 'deferred')::int as deferred,
  count(*) filter (where t.state in ('scheduled', 'queued'))::int as queued`;

/** How far one run has got. */
export async function getRunProgress(client: Queryable, dagRunId: number): Promise<RunProgress> {
  const { rows } = await client.query<RunProgress>(
    `select 1 as "totalDagRuns", (max(r.state) in ('success', 'failed'))::int as "finishedDagRuns", count(t.id)::int as "totalTasks", ${TASK_COUNTS}
       from dag_run r left join task_instance t on t.dag_run_id = r.id where r.id = $1`,
    [dagRunId],
  );
  return rows[0]!;
}

/** Runs of a DAG for these dates. */
export async function runsOfDates(
  client: Queryable,
  dagId: string,
  dates: readonly Date[],
): Promise<ReadonlyMap<number, { readonly id: number; readonly runId: string; readonly state: string }>> {
  const { rows } = await client.query<{ id: number; runId: string; state: string; logicalDate: Date }>(
    'select id, run_id as "runId", state, logical_date as "logicalDate" from dag_run where dag_id = $1 and logical_date = any($2)',
    [dagId, dates],
  );
  return new Map(rows.map(({ logicalDate, ...run }) => [logicalDate.getTime(), run]));
}
