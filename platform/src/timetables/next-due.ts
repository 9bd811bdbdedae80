import type { Schedule } from '@windhover/core';
import { next } from './next.ts';
import type { ScheduledRun } from './scheduled-run.ts';
import { hasTicks, type TickingSchedule, ticksOf } from './ticks.ts';

export interface NextDueOptions {
  /** The first interval begins here or at the first tick after it. */
  readonly startDate: Date | null;
  /** No run has a later logical date. */
  readonly endDate: Date | null;
  /** Whether intervals that were missed are run too; otherwise only the latest that has passed. */
  readonly catchup: boolean;
  /** The logical date of the last scheduled run; null when there was none. */
  readonly after: Date | null;
  readonly now: Date;
  /** `continuous` begins no run while one is under way. Default: true. */
  readonly isLastRunFinished?: boolean;
}

export interface NextDue {
  /** The run to create now, or null. */
  readonly run: ScheduledRun | null;
  /**
   * When to ask again, with this run as `after`; not later than now where more runs wait to be made up. Null: not by
   * the clock; the DAG has had its last run, or (`continuous`) the end of its run is what to wait for.
   */
  readonly lookAgainAt: Date | null;
}

/**
 * Which run to create now. Costs a few steps, however many intervals were missed.
 *
 * Without catchup the latest interval *of the schedule* counts: after the end date that is the last one before it, so
 * that an outage over the end date does not swallow the last run.
 */
export function nextDue(schedule: Schedule, options: NextDueOptions): NextDue {
  const { now, catchup, isLastRunFinished = true } = options;
  if (schedule.type === 'continuous' && !isLastRunFinished) return { run: null, lookAgainAt: null };
  const after = catchup || !hasTicks(schedule) ? options.after : skipMissed(schedule, options);
  const run = next(schedule, { ...options, after });
  if (run === null) return { run: null, lookAgainAt: null };
  if (run.runAfter > now) return { run: null, lookAgainAt: run.runAfter };
  const following = schedule.type === 'continuous' ? null : next(schedule, { ...options, after: run.logicalDate });
  return { run, lookAgainAt: following?.runAfter ?? null };
}

/** The last logical date not to run any more: the one before the latest interval that has passed, or `after`. */
function skipMissed(schedule: TickingSchedule, { startDate, endDate, after, now }: NextDueOptions): Date | null {
  const ticks = ticksOf(schedule, startDate?.getTime() ?? 0);
  const lastTick = ticks.before(now.getTime() + 1);
  if (lastTick === null) return after;
  // The last tick up to now ends an interval, except where intervals have no length.
  let latest = ticks.endOf(lastTick) === lastTick ? lastTick : ticks.before(lastTick);
  if (latest !== null && endDate !== null && latest > endDate.getTime()) latest = ticks.before(endDate.getTime() + 1);
  if (latest === null) return after;
  const skipped = latest - 1;
  return after === null || after.getTime() < skipped ? new Date(skipped) : after;
}
