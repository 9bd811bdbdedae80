import type { KillReason } from '@windhover/core';
import type { Queryable } from './database.ts';

export interface NewTrigger {
  readonly taskInstanceId: number;
  readonly classpath: string;
  /** Encrypted. */
  readonly kwargs: Buffer;
  readonly notBefore: Date | null;
  readonly queue: string;
  readonly priorityWeight: number;
}

export interface LockedTrigger {
  readonly id: number;
  readonly taskInstanceId: number | null;
  readonly leaseEpoch: number;
  readonly state: 'waiting' | 'cancelling';
}

/** Trigger rows are locked before task instances, in the order of their ids. */
export async function lockTriggers(client: Queryable, ids: readonly number[]): Promise<LockedTrigger[]> {
  const { rows } = await client.query<LockedTrigger>(
    `select id, task_instance_id as "taskInstanceId", lease_epoch as "leaseEpoch", state from trigger
      where id = any($1) order by id for update`,
    [ids],
  );
  return rows;
}

/** Answers the id of each new trigger by its task instance. */
export async function insertTriggers(client: Queryable, triggers: readonly NewTrigger[]): Promise<Map<number, number>> {
  const data = triggers.map((trigger) => ({ ...trigger, kwargs: trigger.kwargs.toString('base64') }));
  const { rows } = await client.query<{ id: number; taskInstanceId: number }>(
    `insert into trigger (task_instance_id, classpath, kwargs, not_before, queue, priority_weight)
     select n."taskInstanceId", n.classpath, decode(n.kwargs, 'base64'), n."notBefore", n.queue, n."priorityWeight"
       from jsonb_to_recordset($1) as n("taskInstanceId" bigint, classpath text, kwargs text, "notBefore" timestamptz, queue text, "priorityWeight" float8)
     returning id, task_instance_id as "taskInstanceId"`,
    [JSON.stringify(data)],
  );
  return new Map(rows.map(({ id, taskInstanceId }) => [taskInstanceId, id]));
}

export async function deleteTriggers(client: Queryable, ids: readonly number[]): Promise<void> {
  await client.query('delete from trigger where id = any($1)', [ids]);
}

/** Whoever claims such a row next runs `onKill` with the reason, then deletes it. Its lease is over. */
export async function cancelTriggers(
  client: Queryable,
  kills: readonly { readonly triggerId: number; readonly reason: KillReason }[],
): Promise<void> {
  await client.query(
    `update trigger t set state = 'cancelling', kill_reason = k.reason, not_before = null, share_key = null,
            triggerer_id = null, lease_expires_at = null, lease_epoch = lease_epoch + 1
       from jsonb_to_recordset($1) as k("triggerId" bigint, reason text) where t.id = k."triggerId"`,
    [JSON.stringify(kills)],
  );
}
