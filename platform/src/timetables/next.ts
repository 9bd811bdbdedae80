import type { Schedule } from '@windhover/core';
import { type ScheduledRun, scheduledRun } from './scheduled-run.ts';
import { hasTicks, ticksOf } from './ticks.ts';

export interface NextOptions {
  /** The first interval begins here or at the first tick after it; `interval` counts from it (from 1970 without). */
  readonly startDate: Date | null;
  /** No run has a later logical date. */
  readonly endDate: Date | null;
  /** The logical date of the last scheduled run; null when there was none. */
  readonly after: Date | null;
  /**
   * The logical date of `continuous`, and of `once` without a start date, is the clock's. Default: none; their next
   * run then cannot be told.
   */
  readonly now?: Date;
}

/**
 * The run that follows the last one, due or not. Each interval begins where the one before it ends. Cron and interval
 * schedules have no first run without a start date.
 */
export function next(schedule: Schedule, options: NextOptions): ScheduledRun | null {
  const run = nextWithoutEnd(schedule, options);
  if (run === null || (options.endDate !== null && run.logicalDate > options.endDate)) return null;
  return run;
}

function nextWithoutEnd(schedule: Schedule, { startDate, after, now }: NextOptions): ScheduledRun | null {
  if (schedule.type === 'none') return null;
  if (schedule.type === 'once') {
    const at = startDate ?? now;
    return after !== null || at === undefined ? null : scheduledRun(at.getTime(), at.getTime());
  }
  if (schedule.type === 'continuous') {
    if (now === undefined) return null;
    // One DAG has one run a logical date, and a run may end within the millisecond it began in.
    const at = Math.max(now.getTime(), startDate?.getTime() ?? 0, after === null ? 0 : after.getTime() + 1);
    return scheduledRun(at, at);
  }
  if (!hasTicks(schedule)) return null;
  const ticks = ticksOf(schedule, startDate?.getTime() ?? 0);
  const edges = [startDate && startDate.getTime() - 1, after?.getTime()].filter((edge) => typeof edge === 'number');
  if (edges.length === 0 && schedule.type !== 'dates') return null;
  const start = ticks.after(Math.max(...edges));
  const end = start === null ? null : ticks.endOf(start);
  return start === null || end === null ? null : scheduledRun(start, end);
}
