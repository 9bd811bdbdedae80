import type { KillReason, TriggerLease, TriggerProgress, XComQuery } from '@windhover/core';
import type { Queryable } from './database.ts';
import type { StoredXCom } from './xcoms.ts';

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

/** What these task instances wait for, as far as they wait. */
export async function triggersOf(client: Queryable, taskInstanceIds: readonly number[]): Promise<number[]> {
  const { rows } = await client.query<{ triggerId: number }>(
    'select trigger_id as "triggerId" from task_instance where id = any($1) and trigger_id is not null',
    [taskInstanceIds],
  );
  return rows.map(({ triggerId }) => triggerId);
}

/** Answers the id of each new trigger by its task instance. An hour that is near is none: the trigger runs at once. */
export async function insertTriggers(client: Queryable, triggers: readonly NewTrigger[]): Promise<Map<number, number>> {
  const data = triggers.map((trigger) => ({ ...trigger, kwargs: trigger.kwargs.toString('base64') }));
  const { rows } = await client.query<{ id: number; taskInstanceId: number }>(
    `insert into trigger (task_instance_id, attempt, try_number, classpath, kwargs, not_before, queue, priority_weight)
     select i.id, i.attempt, i.try_number, n.classpath, decode(n.kwargs, 'base64'),
            case when n."notBefore" > now() + ${LEAD} then n."notBefore" end, n.queue, n."priorityWeight"
       from jsonb_to_recordset($1) as n("taskInstanceId" bigint, classpath text, kwargs text, "notBefore" timestamptz, queue text, "priorityWeight" float8)
       join task_instance i on i.id = n."taskInstanceId"
     returning id, task_instance_id as "taskInstanceId"`,
    [JSON.stringify(data)],
  );
  return new Map(rows.map(({ id, taskInstanceId }) => [taskInstanceId, id]));
}

export async function deleteTriggers(client: Queryable, ids: readonly number[]): Promise<void> {
  await client.query('delete from trigger where id = any($1)', [ids]);
}

/**
 * Whoever claims such a row next runs `onKill` with the reason, then deletes it. Its lease is over, and its holder is
 * told by the next sync.
 */
export async function cancelTriggers(
  client: Queryable,
  kills: readonly { readonly triggerId: number; readonly reason: KillReason }[],
): Promise<void> {
  await client.query(
    `with killed as (
       select t.id, t.triggerer_id, t.lease_epoch, k.reason from trigger t
         join jsonb_to_recordset($1) as k("triggerId" bigint, reason text) on t.id = k."triggerId" order by t.id for update of t),
     told as (
       insert into dropped_trigger (triggerer_id, trigger_id, lease_epoch, reason)
       select triggerer_id, id, lease_epoch, 'killed' from killed where triggerer_id is not null)
     update trigger t set state = 'cancelling', kill_reason = k.reason, not_before = null, share_key = null,
            triggerer_id = null, lease_epoch = t.lease_epoch + 1
       from killed k where t.id = k.id`,
    [JSON.stringify(kills)],
  );
}

/** What the holder of a lease may know of its trigger's task; the fields of the task are null where it has none. */
export interface HeldTrigger extends TriggerLease {
  readonly classpath: string;
  readonly dagId: string | null;
  readonly runId: string;
  readonly taskId: string;
  readonly mapIndex: number;
  readonly attempt: number;
}

/** Those of these leases that are still held. */
export async function getHeldTriggers(client: Queryable, leases: readonly TriggerLease[]): Promise<HeldTrigger[]> {
  const { rows } = await client.query<HeldTrigger>(
    `select t.id::text as "triggerId", t.lease_epoch as "leaseEpoch", t.classpath, r.dag_id as "dagId", r.run_id as "runId",
            i.task_id as "taskId", i.map_index as "mapIndex", t.attempt
       from ${leaseList('$1')} join trigger t on t.id = l.id and t.lease_epoch = l.epoch
       left join task_instance i on i.id = t.task_instance_id left join dag_run r on r.id = i.dag_run_id
      where t.triggerer_id is not null`,
    [toLeaseList(leases)],
  );
  return rows;
}

/** An XCom of the run of the trigger's task, or of another that the query names; null if the lease is not held. */
export async function getXComForTrigger(
  client: Queryable,
  lease: TriggerLease,
  { dagId, runId, taskId, mapIndex, key }: XComQuery,
): Promise<(StoredXCom & { readonly isFound: boolean }) | null> {
  const { rows } = await client.query<StoredXCom & { isFound: boolean }>(
    `select x.value, x.reference, x.key is not null as "isFound"
       from trigger t left join task_instance i on i.id = t.task_instance_id left join dag_run own on own.id = i.dag_run_id
       left join dag_run r on r.dag_id = coalesce($3, own.dag_id) and r.run_id = coalesce($4, own.run_id)
       left join xcom x on x.dag_run_id = r.id and x.task_id = $5 and x.map_index = $6 and x.key = $7
      where t.id = $1 and t.lease_epoch = $2 and t.triggerer_id is not null`,
    [lease.triggerId, lease.leaseEpoch, dagId ?? null, runId ?? null, taskId, mapIndex, key],
  );
  return rows[0] ?? null;
}

/** False if somebody else holds the trigger, or nobody. */
export async function saveCheckpoint(client: Queryable, lease: TriggerLease, checkpoint: Buffer): Promise<boolean> {
  const { rowCount } = await client.query(
    'update trigger set checkpoint = $3 where id = $1 and lease_epoch = $2 and triggerer_id is not null',
    [lease.triggerId, lease.leaseEpoch, checkpoint],
  );
  return rowCount === 1;
}

/** What running triggers saw last. A row that somebody is just changing is left out: the next progress comes soon. */
export async function saveProgress(
  client: Queryable,
  progress: readonly (TriggerLease & TriggerProgress)[],
): Promise<void> {
  const data = progress.map(({ triggerId, leaseEpoch, ...lastPoll }) => ({
    id: triggerId,
    epoch: leaseEpoch,
    lastPoll,
  }));
  await client.query(
    `with seen as (
       select t.id, n."lastPoll" from jsonb_to_recordset($1) as n(id bigint, epoch bigint, "lastPoll" jsonb)
         join trigger t on t.id = n.id and t.lease_epoch = n.epoch for update of t skip locked)
     update trigger t set last_poll = s."lastPoll" from seen s where t.id = s.id`,
    [JSON.stringify(data)],
  );
}

/** After `onKill`: the rows go. */
export async function deleteKilled(client: Queryable, leases: readonly TriggerLease[]): Promise<void> {
  await client.query(
    `with ended as (
       select t.id from ${leaseList('$1')} join trigger t on t.id = l.id and t.lease_epoch = l.epoch
        where t.state = 'cancelling' order by t.id for update of t)
     delete from trigger t using ended e where t.id = e.id`,
    [toLeaseList(leases)],
  );
}

/** Somebody else is to go on, at once. The epoch rises when they do. */
export async function handBack(client: Queryable, leases: readonly TriggerLease[]): Promise<void> {
  await client.query(
    `with ended as (
       select t.id from ${leaseList('$1')} join trigger t on t.id = l.id and t.lease_epoch = l.epoch
        where t.triggerer_id is not null order by t.id for update of t),
     freed as (update trigger t set triggerer_id = null from ended e where t.id = e.id)
     select pg_notify('windhover_trigger', '')`,
    [toLeaseList(leases)],
  );
}

/** Their hour is near: from now on they wait to be claimed, like any other. */
export async function admitDueTriggers(client: Queryable): Promise<void> {
  await client.query(
    `with due as (select id from trigger where not_before <= now() + ${LEAD} for update skip locked),
     admitted as (update trigger t set not_before = null from due d where t.id = d.id returning 1)
     select pg_notify('windhover_trigger', '') where exists (select 1 from admitted)`,
  );
}

/** A trigger with a `notBefore` can be claimed that long before, so that it runs when its hour comes. */
export const LEAD = "interval '5 seconds'";

/** A parameter that `toLeaseList` made, as a relation `l(id, epoch)`. */
export function leaseList(parameter: string): string {
  return `jsonb_to_recordset(${parameter}) as l(id bigint, epoch bigint)`;
}

export function toLeaseList(leases: readonly TriggerLease[]): string {
  return JSON.stringify(leases.map(({ triggerId, leaseEpoch }) => ({ id: triggerId, epoch: leaseEpoch })));
}
