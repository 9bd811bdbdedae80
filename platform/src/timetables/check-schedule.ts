import type { Schedule } from '@windhover/core';
import { cronTicks } from './cron-ticks.ts';
import { InvalidScheduleError } from './invalid-schedule-error.ts';

/**
 * For whoever stores a DAG: throws `InvalidScheduleError` for a cron expression that cannot be read, or that no date
 * ever matches (`0 0 30 2 *`), so that the author learns of it and not the scheduler.
 */
export function checkSchedule(schedule: Schedule): void {
  if (schedule.type !== 'cron') return;
  const { expression, timezone } = schedule;
  if (cronTicks(expression, timezone).after(0) === null)
    throw new InvalidScheduleError(expression, timezone, 'no date ever matches it');
}
