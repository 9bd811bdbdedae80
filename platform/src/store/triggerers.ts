import type { DagRunType, Json, KillReason, TriggerLease } from '@windhover/core';
import type { Queryable } from './database.ts';
import { LEAD, leaseList, toLeaseList } from './triggers.ts';

// A triggerer is a job. Its lease is that of all its triggers, so that renewing them is one row, and they are free when
// it has been silent for too long.

/** For which triggerer a sync speaks. Under an older epoch it claims nothing: nobody is there to get the answer. */
export interface TriggererSync {
  readonly jobId: number;
  readonly epoch: number;
  readonly triggererId: string;
}

/** Registers the triggerer if nobody knows it, or renews it. `isAnew` raises the epoch: former syncs got lost. */
export async function renewTriggerer(
  client: Queryable,
  triggererId: string,
  leaseMs: number,
  isAnew: boolean,
): Promise<TriggererSync> {
  const { rows } = await client.query<{ jobId: number; epoch: number }>(
    `insert into job (type, name, hostname, pid, expires_at)
     values ('Triggerer', $1, $1, 0, now() + $2 * interval '1 ms')
     on conflict (name) where type = 'Triggerer' and state = 'running'
     do update set heartbeat_at = now(), expires_at = excluded.expires_at, epoch = job.epoch + $3::int
     returning id as "jobId", epoch`,
    [triggererId, leaseMs, Number(isAnew)],
  );
  return { ...rows[0]!, triggererId };
}

/** Keeps the triggerer from being given up while it claims. Null: it was given up, or has begun anew. */
export async function holdTriggerer(client: Queryable, { jobId, epoch }: TriggererSync): Promise<{ now: Date } | null> {
  const { rows } = await client.query<{ now: Date }>(
    `select clock_timestamp()::timestamptz(3) as now from job where id = $1 and epoch = $2 and state = 'running' for share`,
    [jobId, epoch],
  );
  return rows[0] ?? null;
}

export interface DroppedTrigger extends TriggerLease {
  readonly reason: 'killed' | 'leaseLost';
}

/** Leases that were taken from the triggerer since it was told last. */
export async function takeDropped(client: Queryable, { triggererId }: TriggererSync): Promise<DroppedTrigger[]> {
  const { rows } = await client.query<DroppedTrigger>(
    `delete from dropped_trigger where triggerer_id = $1
     returning trigger_id::text as "triggerId", lease_epoch as "leaseEpoch", reason`,
    [triggererId],
  );
  return rows;
}

/** A trigger just claimed, with what its task's code may see; the fields of the task are null where it has none. */
export interface ClaimedRow extends TriggerLease {
  readonly classpath: string;
  readonly kwargs: Buffer;
  readonly createdAt: Date;
  readonly checkpoint: Buffer | null;
  readonly state: 'waiting' | 'cancelling';
  readonly killReason: KillReason;
  readonly dagId: string | null;
  readonly runId: string;
  readonly taskId: string;
  readonly mapIndex: number;
  readonly attempt: number;
  readonly tryNumber: number;
  readonly dagFile: string;
  readonly versionId: number;
  readonly logicalDate: Date;
  readonly intervalStart: Date;
  readonly intervalEnd: Date;
  readonly runType: DagRunType;
  readonly conf: Readonly<Record<string, Json>>;
  readonly sensorStartedAt: Date;
  readonly deadlineAt: Date | null;
}

/**
 * Takes rows that nobody holds: those to be cancelled first (`cancelling` sorts before `waiting`), then by priority.
 * The ids go through an array: joined with what is picked, the planner reads the whole table (60 ms of 500,000 rows).
 */
export async function claimTriggers(
  client: Queryable,
  { triggererId }: TriggererSync,
  queues: readonly string[],
  limit: number,
): Promise<ClaimedRow[]> {
  const { rows } = await client.query<ClaimedRow>(
    `with t as (
       update trigger set triggerer_id = $1, lease_epoch = lease_epoch + 1
        where id = any(array(select id from trigger
          where triggerer_id is null and not_before is null and queue = any($2)
          order by state, priority_weight desc, id limit $3 for update skip locked))
       returning *)
     select t.id::text as "triggerId", t.lease_epoch as "leaseEpoch", t.classpath, t.kwargs, t.created_at as "createdAt",
            t.checkpoint, t.state, t.kill_reason as "killReason", t.attempt, t.try_number as "tryNumber",
            r.dag_id as "dagId", r.run_id as "runId", i.task_id as "taskId", i.map_index as "mapIndex",
            coalesce(d.file, '') as "dagFile", r.version_id as "versionId", r.logical_date as "logicalDate",
            r.interval_start as "intervalStart", r.interval_end as "intervalEnd", r.run_type as "runType", r.conf,
            coalesce(i.sensor_started_at, t.created_at) as "sensorStartedAt",
            case when t.state = 'waiting' then least(i.trigger_timeout, i.deadline_at) end as "deadlineAt"
       from t left join task_instance i on i.id = t.task_instance_id
       left join dag_run r on r.id = i.dag_run_id left join dag d on d.dag_id = r.dag_id`,
    [triggererId, queues, limit],
  );
  return rows;
}

/**
 * Sets right what a lost answer left: leases of the triggerer that it does not know are free again. Answers those it
 * believes to hold, but does not.
 */
export async function compareHeld(
  client: Queryable,
  sync: TriggererSync,
  held: readonly TriggerLease[],
): Promise<DroppedTrigger[]> {
  const values = [sync.triggererId, toLeaseList(held)];
  await client.query(
    `with unknown as (
       select t.id from trigger t where t.triggerer_id = $1
          and not exists (select 1 from ${leaseList('$2')} where l.id = t.id and l.epoch = t.lease_epoch)
        order by t.id for update)
     update trigger t set triggerer_id = null from unknown u where t.id = u.id`,
    values,
  );
  const { rows } = await client.query<DroppedTrigger>(
    `with told as (delete from dropped_trigger where triggerer_id = $1 returning trigger_id, lease_epoch, reason)
     select l.id::text as "triggerId", l.epoch as "leaseEpoch", coalesce(o.reason, 'leaseLost') as reason
       from ${leaseList('$2')} left join told o on o.trigger_id = l.id and o.lease_epoch = l.epoch
      where not exists (select 1 from trigger t where t.id = l.id and t.lease_epoch = l.epoch and t.triggerer_id = $1)`,
    values,
  );
  return rows;
}

/**
 * Gives up triggerers that have been silent for longer than their lease: their triggers are free, and should they come
 * back, they are told. What a triggerer was not told within a day it is past caring about; its leases are fenced anyway.
 */
export async function giveUpSilentTriggerers(client: Queryable): Promise<void> {
  await client.query(
    `with lost as (
       update job set state = 'lost', ended_at = now()
        where type = 'Triggerer' and state = 'running' and expires_at <= now() returning name),
     held as (
       select t.id, t.triggerer_id, t.lease_epoch from trigger t join lost on lost.name = t.triggerer_id
        order by t.id for update of t),
     told as (
       insert into dropped_trigger (triggerer_id, trigger_id, lease_epoch, reason)
       select triggerer_id, id, lease_epoch, 'leaseLost' from held),
     forgotten as (delete from dropped_trigger where dropped_at < now() - interval '1 day'),
     freed as (update trigger t set triggerer_id = null from held h where t.id = h.id returning 1)
     select pg_notify('windhover_trigger', '') where exists (select 1 from freed)`,
  );
}

/**
 * Milliseconds until something is due by the clock alone: a trigger that waits for its hour is to be admitted, or a
 * triggerer has been silent for too long. Null: nothing is to come.
 */
export async function nextTriggerChangeMs(client: Queryable): Promise<number | null> {
  const { rows } = await client.query<{ delayMs: number | null }>(
    `select extract(epoch from least(
              (select min(not_before) - ${LEAD} from trigger where not_before is not null),
              (select min(expires_at) from job where type = 'Triggerer' and state = 'running')) - now())::float8 * 1000 as "delayMs"`,
  );
  return rows[0]!.delayMs;
}
