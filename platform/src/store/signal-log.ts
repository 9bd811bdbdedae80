import type { Json } from '@windhover/core';
import type { Queryable } from './database.ts';

export interface NewLogRow {
  readonly key: string;
  readonly version: number;
  readonly value: Json;
  readonly dagId: string;
  readonly runId: string;
  readonly dagRunId: number;
  readonly taskInstanceId: number;
}

/**
 * Appends to the log. The advisory lock is the last thing a transaction waits for: a cursor over a sequence would lose
 * the rows of a slow transaction, so appends are serialized from here to the commit.
 */
export async function appendToLog(client: Queryable, rows: readonly NewLogRow[]): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [APPEND_LOCK]);
  await client.query(
    `insert into signal (namespace, key, version, value, sender, scope_dag_id, scope_run_id, dag_run_id, task_instance_id)
     select 'system', n.key, n.version, n.value, 'platform', n."dagId", n."runId", n."dagRunId", n."taskInstanceId"
       from jsonb_to_recordset($1) as n(key text, version bigint, value jsonb, "dagId" text, "runId" text, "dagRunId" bigint, "taskInstanceId" bigint)`,
    [JSON.stringify(rows)],
  );
}

/** Task state changes after an offset, oldest first. */
export async function readTaskStates(
  client: Queryable,
  afterOffset: number,
  limit: number,
): Promise<LoggedTaskState[]> {
  const { rows } = await client.query<LoggedTaskState>(
    `select log_offset as "offset", dag_run_id as "dagRunId", task_instance_id as "taskInstanceId", version
       from signal where log_offset > $1 and task_instance_id is not null order by log_offset limit $2`,
    [afterOffset, limit],
  );
  return rows;
}

export interface LoggedTaskState {
  readonly offset: number;
  readonly dagRunId: number;
  readonly taskInstanceId: number;
  readonly version: number;
}

export async function lastOffset(client: Queryable): Promise<number> {
  const { rows } = await client.query<{ offset: number }>('select coalesce(max(log_offset), 0) as offset from signal');
  return rows[0]!.offset;
}

const APPEND_LOCK = 0x77_68_02;
