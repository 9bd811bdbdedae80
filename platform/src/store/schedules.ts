import type { Queryable } from './database.ts';

export interface DueDag {
  readonly dagId: string;
  readonly versionId: number;
  /** The last logical date its schedule has dealt with. */
  readonly scheduledUntil: Date | null;
  readonly now: Date;
}

/**
 * DAGs to look at: their next run is due, and they may have another. Locked until the transaction ends, so that several
 * schedulers make each run once.
 */
export async function lockDueDags(
  client: Queryable,
  filter: { readonly dagIds: readonly string[] | null; readonly limit: number },
): Promise<DueDag[]> {
  const { rows } = await client.query<DueDag>(
    `select d.dag_id as "dagId", d.version_id as "versionId", d.scheduled_until as "scheduledUntil", now()::timestamptz(3) as now
       from dag d where d.is_active and not d.is_paused and d.next_run_at <= now() and ($1::text[] is null or d.dag_id = any($1))
        and (select count(*) from dag_run q where q.dag_id = d.dag_id and q.state = 'queued' and q.run_type = 'scheduled')
          + (select count(*) from dag_run r where r.dag_id = d.dag_id and r.state = 'running' and r.run_type = 'scheduled') < d.max_active_runs
      order by d.next_run_at limit $2 for no key update of d skip locked`,
    [filter.dagIds, filter.limit],
  );
  return rows;
}

export interface NextSchedule {
  readonly dagId: string;
  readonly scheduledUntil: Date | null;
  /** When to look again; null: not by the clock. */
  readonly nextRunAt: Date | null;
  /** The run after, for people. */
  readonly nextLogicalDate: Date | null;
  readonly nextIntervalEnd: Date | null;
}

export async function saveNextSchedule(client: Queryable, next: NextSchedule): Promise<void> {
  await client.query(
    `update dag set scheduled_until = $2, next_run_at = $3, next_logical_date = $4, next_interval_end = $5 where dag_id = $1`,
    [next.dagId, next.scheduledUntil, next.nextRunAt, next.nextLogicalDate, next.nextIntervalEnd],
  );
}

/** When the clock next asks for something: the run of a schedule, or a deadline. */
export async function nextInstant(client: Queryable): Promise<Date | null> {
  const { rows } = await client.query<{ at: Date | null }>(
    `select least((select min(next_run_at) from dag where is_active and not is_paused and next_run_at > now()),
                  (select min(due_at) from deadline where is_met is null)) as at`,
  );
  return rows[0]!.at;
}

/** Deadlines that runs have not kept become callbacks. Answers how many. */
export async function missDeadlines(client: Queryable): Promise<number> {
  const { rowCount } = await client.query(
    `with missed as (
       update deadline l set is_met = false where l.id in (
         select id from deadline where is_met is null and due_at <= now() order by id limit 100 for update skip locked)
       returning l.dag_run_id, l.position, l.due_at)
     insert into callback_outbox (dag_run_id, callback, facts)
     select m.dag_run_id, 'deadline:' || m.position, jsonb_build_object('state', r.state, 'reason', 'deadline missed', 'dueAt', m.due_at)
       from missed m join dag_run r on r.id = m.dag_run_id`,
  );
  return rowCount ?? 0;
}
