import type { Json, SerializedError, StepRecord, TaskInstanceState } from '@windhover/core';
import type { Queryable } from './database.ts';

export interface NewAttempt {
  readonly taskInstanceId: number;
  readonly attempt: number;
  readonly tryNumber: number;
  readonly epoch: number;
  readonly state: TaskInstanceState;
  readonly reason: string;
  readonly startedAt: Date | null;
  readonly endedAt: Date;
  readonly runningMs: number;
  readonly deferredMs: number;
  readonly error: SerializedError | null;
}

export async function insertAttempts(client: Queryable, attempts: readonly NewAttempt[]): Promise<void> {
  await client.query(
    `insert into task_attempt (task_instance_id, attempt, try_number, epoch, state, reason, started_at, ended_at, running_ms, deferred_ms, error)
     select n."taskInstanceId", n.attempt, n."tryNumber", n.epoch, n.state, n.reason, n."startedAt", n."endedAt", n."runningMs", n."deferredMs", n.error
       from jsonb_to_recordset($1) as n("taskInstanceId" bigint, attempt int, "tryNumber" int, epoch bigint, state text, reason text,
            "startedAt" timestamptz, "endedAt" timestamptz, "runningMs" bigint, "deferredMs" bigint, error jsonb)
     on conflict do nothing`,
    [JSON.stringify(attempts)],
  );
}

export interface NewCallback {
  readonly dagRunId: number;
  readonly taskInstanceId: number | null;
  readonly callback: string;
  readonly facts: Json;
}

export async function insertCallbacks(client: Queryable, callbacks: readonly NewCallback[]): Promise<void> {
  await client.query(
    `insert into callback_outbox (dag_run_id, task_instance_id, callback, facts)
     select n."dagRunId", n."taskInstanceId", n.callback, n.facts
       from jsonb_to_recordset($1) as n("dagRunId" bigint, "taskInstanceId" bigint, callback text, facts jsonb)`,
    [JSON.stringify(callbacks)],
  );
}

export async function deleteSteps(client: Queryable, taskInstanceIds: readonly number[]): Promise<void> {
  await client.query('delete from task_step where task_instance_id = any($1)', [taskInstanceIds]);
}

/** `value` is encrypted. */
export type StoredStep = Omit<StepRecord, 'value'> & { readonly value: Buffer };

export async function getSteps(client: Queryable, taskInstanceId: number): Promise<StoredStep[]> {
  const { rows } = await client.query<StoredStep>(
    'select hop, sequence, name, value from task_step where task_instance_id = $1 order by hop, sequence',
    [taskInstanceId],
  );
  return rows;
}

/**
 * Only for the hand-off that holds the task: answers false if that is old. `for share`: a clear that is under way is
 * waited for, otherwise the step would outlive the attempt that was cleared.
 */
export async function putStep(
  client: Queryable,
  taskInstanceId: number,
  epoch: number,
  step: StoredStep,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into task_step (task_instance_id, hop, sequence, name, value)
     select t.id, $3, $4, $5, $6 from task_instance t where t.id = $1 and t.epoch = $2 for share
     on conflict (task_instance_id, hop, sequence) do update set name = excluded.name, value = excluded.value`,
    [taskInstanceId, epoch, step.hop, step.sequence, step.name, step.value],
  );
  return rowCount === 1;
}
