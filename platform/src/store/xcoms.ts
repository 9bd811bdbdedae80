import type { Json } from '@windhover/core';
import type { Queryable } from './database.ts';

export interface NewXCom {
  readonly dagRunId: number;
  readonly taskId: string;
  readonly mapIndex: number;
  readonly key: string;
  readonly attempt: number;
  readonly value: Json | null;
  readonly reference: Json | null;
}

export async function putXComs(client: Queryable, xcoms: readonly NewXCom[]): Promise<void> {
  await client.query(
    `insert into xcom (dag_run_id, task_id, map_index, key, attempt, value, reference)
     select n."dagRunId", n."taskId", n."mapIndex", n.key, n.attempt, n.value, n.reference
       from jsonb_to_recordset($1) as n("dagRunId" bigint, "taskId" text, "mapIndex" int, key text, attempt int, value jsonb, reference jsonb)
     on conflict (dag_run_id, task_id, map_index, key) do update
        set attempt = excluded.attempt, value = excluded.value, reference = excluded.reference, created_at = now()`,
    [JSON.stringify(xcoms)],
  );
}

export interface XComPlace {
  readonly dagRunId: number;
  readonly taskId: string;
  readonly mapIndex: number;
}

export async function deleteXComs(client: Queryable, places: readonly XComPlace[]): Promise<void> {
  await client.query(
    `delete from xcom x using jsonb_to_recordset($1) as n("dagRunId" bigint, "taskId" text, "mapIndex" int)
      where x.dag_run_id = n."dagRunId" and x.task_id = n."taskId" and x.map_index = n."mapIndex"`,
    [JSON.stringify(places)],
  );
}

export interface StoredXCom {
  readonly value: Json | null;
  readonly reference: Json | null;
}

/** By run: its own (`dagRunId`), or one named by DAG and run id. */
export async function getXCom(
  client: Queryable,
  run: { readonly dagRunId: number } | { readonly dagId: string; readonly runId: string },
  place: { readonly taskId: string; readonly mapIndex: number; readonly key: string },
): Promise<StoredXCom | null> {
  const [where, values] =
    'dagRunId' in run
      ? ['x.dag_run_id = $4', [run.dagRunId]]
      : ['x.dag_run_id = (select id from dag_run where dag_id = $4 and run_id = $5)', [run.dagId, run.runId]];
  const { rows } = await client.query<StoredXCom>(
    `select x.value, x.reference from xcom x where x.task_id = $1 and x.map_index = $2 and x.key = $3 and ${where}`,
    [place.taskId, place.mapIndex, place.key, ...values],
  );
  return rows[0] ?? null;
}
