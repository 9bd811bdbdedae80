import { type DagRunType, formatRunId, type Json, resolveParams, type SerializedDag } from '@windhover/core';
import type { Database, Queryable } from '../store/database.ts';
import { DagNotFoundError } from './dag-not-found-error.ts';
import { DagRunExistsError } from './dag-run-exists-error.ts';

export interface NewDagRun {
  readonly dagId: string;
  readonly runType: DagRunType;
  /** Default: {}. */
  readonly conf?: Readonly<Record<string, Json>>;
  /** Default: the database's clock; a millisecond later where that is taken. */
  readonly logicalDate?: Date;
  /** Default: the logical date itself. */
  readonly dataInterval?: { readonly start: Date; readonly end: Date };
  /** The same key answers the run that has it. Default: none. */
  readonly dedupeKey?: string;
}

export interface CreatedDagRun {
  readonly id: number;
  readonly dagId: string;
  readonly runId: string;
  readonly logicalDate: Date;
}

/** Creates a run; some job executes it. Any process may do this, at any time. */
export async function createDagRun(database: Database, run: NewDagRun): Promise<CreatedDagRun> {
  return database.transaction(async (client) => {
    const { rows } = await client.query<{ versionId: number; serialized: SerializedDag; now: Date }>(
      `select d.version_id as "versionId", v.serialized, now()::timestamptz(3) as now
         from dag d join dag_version v on v.id = d.version_id where d.dag_id = $1 and d.is_active for share of d`,
      [run.dagId],
    );
    const [dag] = rows;
    if (!dag) throw new DagNotFoundError(run.dagId);
    const { params } = dag.serialized;
    resolveParams(run.dagId, params, run.conf ?? {});
    const known = run.dedupeKey === undefined ? null : await findByDedupeKey(client, run.dagId, run.dedupeKey);
    if (known) return known;
    const created = await insertRun(client, run, dag.versionId, run.logicalDate ?? dag.now);
    await client.query("select pg_notify('windhover_run', '')");
    return created;
  });
}

async function insertRun(client: Queryable, run: NewDagRun, versionId: number, wanted: Date): Promise<CreatedDagRun> {
  for (let logicalDate = wanted; ; logicalDate = new Date(logicalDate.getTime() + 1)) {
    const { start, end } = run.dataInterval ?? { start: logicalDate, end: logicalDate };
    const runId = formatRunId(run.runType, logicalDate);
    const { rows } = await client.query<{ id: number }>(
      `insert into dag_run (dag_id, run_id, run_type, logical_date, interval_start, interval_end, conf, version_id, dedupe_key)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (dag_id, logical_date) do nothing returning id`,
      [
        run.dagId,
        runId,
        run.runType,
        logicalDate,
        start,
        end,
        JSON.stringify(run.conf ?? {}),
        versionId,
        run.dedupeKey ?? null,
      ],
    );
    if (rows[0]) return { id: rows[0].id, dagId: run.dagId, runId, logicalDate };
    if (run.logicalDate) {
      const taken = await client.query<{ runId: string }>(
        'select run_id as "runId" from dag_run where dag_id = $1 and logical_date = $2',
        [run.dagId, logicalDate],
      );
      throw new DagRunExistsError(run.dagId, taken.rows[0]!.runId, logicalDate);
    }
  }
}

async function findByDedupeKey(client: Queryable, dagId: string, dedupeKey: string): Promise<CreatedDagRun | null> {
  const { rows } = await client.query<CreatedDagRun>(
    'select id, dag_id as "dagId", run_id as "runId", logical_date as "logicalDate" from dag_run where dag_id = $1 and dedupe_key = $2',
    [dagId, dedupeKey],
  );
  return rows[0] ?? null;
}
