import type { Schedule } from '@windhover/core';
import { hasTicks, ticksOf } from './ticks.ts';

/**
 * Whether a date is a logical date of the schedule: just those that `dateRange` lists. Where the clock sets the date
 * (`continuous`, and `once` without a start date), any date from the start on may be one.
 */
export function onSchedule(schedule: Schedule, startDate: Date | null, date: Date): boolean {
  const ms = date.getTime();
  const startMs = startDate?.getTime();
  if (schedule.type === 'none' || (startMs !== undefined && ms < startMs)) return false;
  if (schedule.type === 'once') return startMs === undefined || ms === startMs;
  // Asks for the next tick and not croner's `match`, which does not know the ticks that a clock change has moved.
  return !hasTicks(schedule) || ticksOf(schedule, startMs ?? 0).after(ms - 1) === ms;
}
