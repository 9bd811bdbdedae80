import type { Json, SerializedError } from '@windhover/core';
import type { Queryable } from './database.ts';

export interface ClaimedCallback {
  readonly id: number;
  readonly dagFile: string;
  readonly queue: string | null;
  readonly executor: string | null;
  readonly attempts: number;
}

/** Takes callbacks that wait, or whose job is over; they may then run a second time. */
export async function claimCallbacks(client: Queryable, jobId: number, limit: number): Promise<ClaimedCallback[]> {
  const { rows } = await client.query<ClaimedCallback>(
    `update callback_outbox c set state = 'dispatched', job_id = $1, attempts = c.attempts + 1
       from (select o.id from callback_outbox o where o.state = 'waiting' order by o.id limit $2 for update skip locked) w,
            dag_run r join dag d on d.dag_id = r.dag_id
      where c.id = w.id and r.id = c.dag_run_id
     returning c.id, c.attempts, d.file as "dagFile", (select t.queue from task_instance t where t.id = c.task_instance_id) as queue,
               (select t.executor from task_instance t where t.id = c.task_instance_id) as executor`,
    [jobId, limit],
  );
  return rows;
}

/** Its process is gone: it runs again, unless it has taken its process with it before. */
export async function loseCallback(client: Queryable, id: number, error: SerializedError): Promise<void> {
  await client.query(
    `update callback_outbox set state = case when attempts < 3 then 'waiting' else 'failed' end, job_id = null, error = $2,
            ended_at = case when attempts < 3 then null else now() end
      where id = $1 and state in ('dispatched', 'running')`,
    [id, JSON.stringify(error)],
  );
}

/** Those of jobs that are over wait again. */
export async function releaseCallbacksOfDeadJobs(client: Queryable): Promise<number> {
  const { rowCount } = await client.query(
    `update callback_outbox c set state = case when attempts < 3 then 'waiting' else 'failed' end, job_id = null
      where c.state in ('dispatched', 'running')
        and not exists (select 1 from job j where j.id = c.job_id and j.state = 'running' and j.expires_at > now())`,
  );
  return rowCount ?? 0;
}

/** A callback that was begun. */
export interface StoredCallback {
  readonly dagRunId: number;
  /** `onFailure`, `onSuccess`, `onRetry`, or `deadline:<position>`. */
  readonly callback: string;
  readonly facts: Readonly<Record<string, Json>>;
  /** Whose it is; null for one of the DAG itself. */
  readonly taskId: string | null;
  readonly mapIndex: number | null;
  /** The database's clock. */
  readonly now: Date;
}

/** Only one that has not been begun: null otherwise. */
export async function beginCallback(client: Queryable, callbackId: string): Promise<StoredCallback | null> {
  const { rows } = await client.query<StoredCallback>(
    `update callback_outbox c set state = 'running'
       from (select o.id, t.task_id, t.map_index from callback_outbox o
               left join task_instance t on t.id = o.task_instance_id where o.id = $1) f
      where c.id = f.id and c.state in ('waiting', 'dispatched')
     returning c.dag_run_id as "dagRunId", c.callback, c.facts, f.task_id as "taskId", f.map_index as "mapIndex",
               now()::timestamptz(3) as now`,
    [callbackId],
  );
  return rows[0] ?? null;
}

/** Only one that runs; the second time nothing happens. */
export async function endCallback(client: Queryable, callbackId: string, error: SerializedError | null): Promise<void> {
  await client.query(
    `update callback_outbox set state = $2, error = $3, ended_at = now() where id = $1 and state = 'running'`,
    [callbackId, error === null ? 'success' : 'failed', error === null ? null : JSON.stringify(error)],
  );
}
