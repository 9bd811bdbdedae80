import type { Schedule } from '@windhover/core';
import { cronTicks } from './cron-ticks.ts';

/** The instants of a schedule, in both directions without end. Milliseconds, because this is arithmetic. */
export interface Ticks {
  /** The first tick after `ms`, or null when there is none. */
  after(ms: number): number | null;
  /** The last tick before `ms`, or null when there is none. */
  before(ms: number): number | null;
  /** Where the interval that begins at a tick ends; null when it has no end. A date is an interval of no length. */
  endOf(tick: number): number | null;
}

/** A schedule whose dates can be told without a clock. */
export type TickingSchedule = Extract<Schedule, { readonly type: 'cron' | 'interval' | 'dates' }>;

export function hasTicks(schedule: Schedule): schedule is TickingSchedule {
  return schedule.type === 'cron' || schedule.type === 'interval' || schedule.type === 'dates';
}

/** `originMs`: where an interval schedule counts from. */
export function ticksOf(schedule: TickingSchedule, originMs: number): Ticks {
  switch (schedule.type) {
    case 'cron':
      return cronTicks(schedule.expression, schedule.timezone);
    case 'interval':
      return intervalTicks(schedule.everyMs, originMs);
    case 'dates':
      return dateTicks(schedule.dates);
  }
}

function intervalTicks(everyMs: number, originMs: number): Ticks {
  // everyMs may have a fraction ('1.5s' has none, '1.5ms' has); each tick is rounded on its own, so that none drifts.
  const tick = (index: number) => originMs + Math.floor(index * everyMs);
  const indexNear = (ms: number) => Math.floor((ms - originMs) / everyMs);
  const after = (ms: number) => {
    let index = indexNear(ms);
    while (tick(index) <= ms) index += 1;
    return tick(index);
  };
  const before = (ms: number) => {
    let index = indexNear(ms) + 1;
    while (tick(index) >= ms) index -= 1;
    return tick(index);
  };
  return { after, before, endOf: after };
}

function dateTicks(dates: readonly string[]): Ticks {
  const ticks = dates.map((date) => Date.parse(date)).sort((a, b) => a - b);
  return {
    after: (ms) => ticks.find((tick) => tick > ms) ?? null,
    before: (ms) => ticks.findLast((tick) => tick < ms) ?? null,
    endOf: (tick) => tick,
  };
}
