import type { DagRunState, Schedule } from '@windhover/core';
import type { Queryable } from './database.ts';

export interface DagRow {
  readonly dagId: string;
  readonly file: string;
  readonly versionId: number;
  readonly versionHash: string;
  readonly isActive: boolean;
  readonly isPaused: boolean;
  readonly schedule: Schedule;
  readonly nextLogicalDate: Date | null;
  readonly nextRunAt: Date | null;
  readonly tags: readonly string[];
  readonly owner: string | null;
  readonly description: string | null;
  readonly taskCount: number;
  readonly updatedAt: Date;
  /** The one with the latest logical date. */
  readonly lastRun: { readonly runId: string; readonly state: DagRunState; readonly logicalDate: Date } | null;
}

export interface DagFilter {
  readonly isPaused?: boolean | undefined;
  readonly tag?: string | undefined;
  /** A part of the id or of the description. */
  readonly search?: string | undefined;
  /** Those of files that are gone, too. */
  readonly withInactive: boolean;
}

/** By id. */
export async function listDags(
  client: Queryable,
  filter: DagFilter,
  afterDagId: string | null,
  limit: number,
): Promise<DagRow[]> {
  const { rows } = await client.query(
    `${SELECT}
      where ($1::text is null or d.dag_id > $1) and ($2::boolean is null or d.is_paused = $2)
        and ($3::text is null or v.serialized->'tags' ? $3)
        and ($4::text is null or d.dag_id ilike $4 or v.serialized->>'description' ilike $4)
        and (d.is_active or $5)
      order by d.dag_id limit $6`,
    [
      afterDagId,
      filter.isPaused ?? null,
      filter.tag ?? null,
      filter.search === undefined ? null : `%${filter.search.replace(/[\\%_]/g, '\\$&')}%`,
      filter.withInactive,
      limit,
    ],
  );
  return rows.map(toDag);
}

export async function getDag(client: Queryable, dagId: string): Promise<DagRow | null> {
  const { rows } = await client.query(`${SELECT} where d.dag_id = $1`, [dagId]);
  return rows[0] ? toDag(rows[0]) : null;
}

/** Answers whether there is such a DAG. Schedulers are woken: runs of a DAG that is no longer paused may begin. */
export async function setDagPaused(client: Queryable, dagId: string, isPaused: boolean): Promise<boolean> {
  const { rowCount } = await client.query('update dag set is_paused = $2 where dag_id = $1', [dagId, isPaused]);
  await client.query("select pg_notify('windhover_dag', ''), pg_notify('windhover_run', '')");
  return rowCount === 1;
}

const SELECT = `select d.dag_id as "dagId", d.file, d.version_id as "versionId", v.hash as "versionHash",
       d.is_active as "isActive", d.is_paused as "isPaused", v.serialized->'schedule' as schedule,
       d.next_logical_date as "nextLogicalDate", d.next_run_at as "nextRunAt", v.serialized->'tags' as tags,
       v.serialized->>'owner' as owner, v.serialized->>'description' as description,
       jsonb_array_length(v.serialized->'tasks') as "taskCount", d.updated_at as "updatedAt",
       l.run_id as "lastRunId", l.state as "lastState", l.logical_date as "lastLogicalDate"
  from dag d join dag_version v on v.id = d.version_id
  left join lateral (select r.run_id, r.state, r.logical_date from dag_run r
                      where r.dag_id = d.dag_id order by r.logical_date desc limit 1) l on true`;

function toDag({ lastRunId, lastState, lastLogicalDate, ...dag }: Record<string, any>): DagRow {
  const lastRun = lastRunId === null ? null : { runId: lastRunId, state: lastState, logicalDate: lastLogicalDate };
  return { ...(dag as Omit<DagRow, 'lastRun'>), lastRun };
}
