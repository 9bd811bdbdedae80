import type { Schedule } from '@windhover/core';
import { spanText } from './span-text.ts';

/** A schedule for people. */
export function scheduleText(schedule: Schedule): string {
  switch (schedule.type) {
    case 'none':
      return 'not by time';
    case 'once':
      return 'once';
    case 'continuous':
      return 'continuously';
    case 'interval':
      return `every ${spanText(schedule.everyMs)}`;
    case 'dates':
      return schedule.dates.length === 1 ? 'on one date' : `on ${schedule.dates.length} dates`;
    case 'cron': {
      const name = NAMES[schedule.expression] ?? schedule.expression;
      return schedule.timezone === 'UTC' ? name : `${name} (${schedule.timezone})`;
    }
  }
}

const NAMES: Readonly<Record<string, string>> = {
  '0 * * * *': 'hourly',
  '0 0 * * *': 'daily',
  '0 0 * * 0': 'weekly',
  '0 0 1 * *': 'monthly',
  '0 0 1 */3 *': 'quarterly',
  '0 0 1 1 *': 'yearly',
};
