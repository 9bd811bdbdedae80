import type { Schedule } from '@windhover/core';
import { hasTicks, ticksOf } from './ticks.ts';

/**
 * The logical dates whose interval starts in [start, end], and not before the DAG's start date: what a backfill runs.
 * For a large range: `iterateDateRange`.
 *
 * `startDate` is where an `interval` schedule counts from and the one date of `once`. Default: `start`.
 */
export function dateRange(schedule: Schedule, start: Date, end: Date, startDate: Date = start): Date[] {
  return [...iterateDateRange(schedule, start, end, startDate)];
}

/** `dateRange` one date at a time, without holding them all. */
export function* iterateDateRange(
  schedule: Schedule,
  start: Date,
  end: Date,
  startDate: Date = start,
): Generator<Date, void, undefined> {
  const first = Math.max(start.getTime(), startDate.getTime());
  if (schedule.type === 'once' && first === startDate.getTime() && startDate <= end) yield new Date(first);
  if (!hasTicks(schedule)) return;
  const ticks = ticksOf(schedule, startDate.getTime());
  let previous = first - 1;
  for (;;) {
    const tick = ticks.after(previous);
    if (tick === null || tick > end.getTime()) return;
    yield new Date(tick);
    previous = tick;
  }
}
