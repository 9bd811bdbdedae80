import type { DagRunState, DagRunType, Json } from '@windhover/core';
import type { Queryable } from './database.ts';

/** A run as people see it. */
export interface DagRunRow {
  readonly id: number;
  readonly dagId: string;
  readonly runId: string;
  readonly runType: DagRunType;
  readonly state: DagRunState;
  readonly logicalDate: Date;
  readonly intervalStart: Date;
  readonly intervalEnd: Date;
  readonly conf: Readonly<Record<string, Json>>;
  readonly reason: string | null;
  readonly versionId: number;
  readonly versionHash: string;
  readonly backfillId: number | null;
  readonly queuedAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

export interface DagRunFilter {
  readonly dagId?: string | undefined;
  readonly state?: DagRunState | undefined;
  readonly runType?: DagRunType | undefined;
  readonly backfillId?: number | undefined;
}

/** Newest first, by id: it never changes, so a page neither skips nor repeats a run while others are queued again. */
export async function listDagRuns(
  client: Queryable,
  filter: DagRunFilter,
  beforeId: number | null,
  limit: number,
): Promise<DagRunRow[]> {
  const { rows } = await client.query<DagRunRow>(
    `${SELECT} where ($1::bigint is null or r.id < $1) and ($2::text is null or r.dag_id = $2)
        and ($3::text is null or r.state = $3) and ($4::text is null or r.run_type = $4)
        and ($5::bigint is null or r.backfill_id = $5)
      order by r.id desc limit $6`,
    [beforeId, filter.dagId ?? null, filter.state ?? null, filter.runType ?? null, filter.backfillId ?? null, limit],
  );
  return rows;
}

export async function getDagRun(client: Queryable, dagId: string, runId: string): Promise<DagRunRow | null> {
  const { rows } = await client.query<DagRunRow>(`${SELECT} where r.dag_id = $1 and r.run_id = $2`, [dagId, runId]);
  return rows[0] ?? null;
}

/** How many tasks of a run are in which state. */
export async function countTaskStates(client: Queryable, dagRunId: number): Promise<Record<string, number>> {
  const { rows } = await client.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from task_instance where dag_run_id = $1 group by state',
    [dagRunId],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

export async function countRunningRuns(client: Queryable, dagId: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    "select count(*)::int as count from dag_run where dag_id = $1 and state = 'running' and backfill_id is null",
    [dagId],
  );
  return rows[0]!.count;
}

const SELECT = `select r.id, r.dag_id as "dagId", r.run_id as "runId", r.run_type as "runType", r.state,
       r.logical_date as "logicalDate", r.interval_start as "intervalStart", r.interval_end as "intervalEnd", r.conf,
       r.reason, r.version_id as "versionId", v.hash as "versionHash", r.backfill_id as "backfillId",
       r.queued_at as "queuedAt", r.started_at as "startedAt", r.ended_at as "endedAt"
  from dag_run r join dag_version v on v.id = r.version_id`;
