import type { DagRunType, Json, SerializedDag, SerializedDeadline } from '@windhover/core';
import type { Queryable } from './database.ts';

export interface NewDagRunRow {
  readonly dagId: string;
  readonly runId: string;
  readonly runType: DagRunType;
  readonly logicalDate: Date;
  readonly dataInterval: { readonly start: Date; readonly end: Date };
  readonly conf: Readonly<Record<string, Json>>;
  readonly versionId: number;
  readonly deadlines: readonly SerializedDeadline[];
  readonly backfillId: number | null;
  readonly dedupeKey: string | null;
}

/** Inserts a run with its deadlines. Null where the DAG has a run for that date already. */
export async function insertDagRun(client: Queryable, run: NewDagRunRow): Promise<number | null> {
  const { rows } = await client.query<{ id: number; queuedAt: Date }>(
    `insert into dag_run (dag_id, run_id, run_type, logical_date, interval_start, interval_end, conf, version_id, backfill_id, dedupe_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (dag_id, logical_date) do nothing returning id, queued_at as "queuedAt"`,
    [
      run.dagId,
      run.runId,
      run.runType,
      run.logicalDate,
      run.dataInterval.start,
      run.dataInterval.end,
      JSON.stringify(run.conf),
      run.versionId,
      run.backfillId,
      run.dedupeKey,
    ],
  );
  const made = rows[0];
  if (!made) return null;
  await insertDeadlines(client, made.id, run.deadlines, { logicalDate: run.logicalDate, queuedAt: made.queuedAt });
  return made.id;
}

/** Those deadlines whose reference point is known by now. */
export async function insertDeadlines(
  client: Queryable,
  dagRunId: number,
  deadlines: readonly SerializedDeadline[],
  known: Partial<Record<'logicalDate' | 'queuedAt' | 'startedAt', Date>>,
): Promise<void> {
  const due = deadlines.flatMap(({ reference, intervalMs }, position) => {
    const isFixed = typeof reference === 'object';
    // A fixed instant is no news when the run starts; it was entered when the run was made.
    const from = isFixed ? (known.queuedAt ? new Date(reference.at) : undefined) : known[reference];
    return from ? [{ position, dueAt: new Date(from.getTime() + intervalMs) }] : [];
  });
  if (due.length === 0) return;
  await client.query(
    `insert into deadline (dag_run_id, position, due_at) select $1, n.position, n."dueAt"
       from jsonb_to_recordset($2) as n(position int, "dueAt" timestamptz) on conflict do nothing`,
    [dagRunId, JSON.stringify(due)],
  );
}

export interface CurrentDag {
  readonly versionId: number;
  readonly serialized: SerializedDag;
  readonly now: Date;
}

/** The version that new runs of a DAG take; the DAG cannot be removed meanwhile. */
export async function currentDag(client: Queryable, dagId: string): Promise<CurrentDag | null> {
  const { rows } = await client.query<CurrentDag>(
    `select d.version_id as "versionId", v.serialized, now()::timestamptz(3) as now
       from dag d join dag_version v on v.id = d.version_id where d.dag_id = $1 and d.is_active for share of d`,
    [dagId],
  );
  return rows[0] ?? null;
}

export interface KnownRun {
  readonly id: number;
  readonly dagId: string;
  readonly runId: string;
  readonly logicalDate: Date;
  readonly state: string;
}

export async function findRunBy(
  client: Queryable,
  dagId: string,
  by: { readonly dedupeKey: string } | { readonly logicalDate: Date },
): Promise<KnownRun | null> {
  const [column, value] =
    'dedupeKey' in by ? ['dedupe_key', by.dedupeKey] : (['logical_date', by.logicalDate] as const);
  const { rows } = await client.query<KnownRun>(
    `select id, dag_id as "dagId", run_id as "runId", logical_date as "logicalDate", state from dag_run where dag_id = $1 and ${column} = $2`,
    [dagId, value],
  );
  return rows[0] ?? null;
}

/** Somebody may have work to do: runs, callbacks, connection tests. */
export async function notifyRun(client: Queryable): Promise<void> {
  await client.query("select pg_notify('windhover_run', '')");
}
