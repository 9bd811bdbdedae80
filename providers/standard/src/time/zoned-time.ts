/** Times of day in time zones, by `Intl`: nothing else in Node knows zones. */

export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

export function parseTimeOfDay(text: string): TimeOfDay | undefined {
  const match = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  return match ? { hour: Number(match[1]), minute: Number(match[2]), second: Number(match[3] ?? 0) } : undefined;
}

export function isTimeZone(timezone: string): boolean {
  try {
    formatter(timezone);
    return true;
  } catch {
    return false;
  }
}

/** The calendar day that an instant falls on in a zone. */
export function dayIn(instant: Date, timezone: string): Day {
  const wall = new Date(wallClockMs(instant.getTime(), timezone));
  return { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate() };
}

/**
 * The first instant at which a zone's clocks show this time on this day. Where they jump over it, the first instant
 * after the jump.
 */
export function instantOf({ year, month, day }: Day, { hour, minute, second }: TimeOfDay, timezone: string): Date {
  const wanted = Date.UTC(year, month - 1, day, hour, minute, second);
  // The offset in force a day before and a day after are the only ones that can hold in between.
  const offsets = [wanted - DAY_MS, wanted + DAY_MS].map((instant) => wallClockMs(instant, timezone) - instant);
  const found = offsets.map((offset) => wanted - offset).filter((instant) => wallClockMs(instant, timezone) === wanted);
  if (found.length > 0) return new Date(Math.min(...found));
  return new Date(firstInstantAfter(wanted, wanted - Math.max(...offsets), wanted - Math.min(...offsets), timezone));
}

/** Halves the span until it holds the jump alone: before it clocks show less than `wanted`, after it more. */
function firstInstantAfter(wanted: number, before: number, after: number, timezone: string): number {
  let [low, high] = [before, after];
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000;
    if (wallClockMs(middle, timezone) > wanted) high = middle;
    else low = middle;
  }
  return high;
}

/** What the zone's clocks show at an instant, written as if it were UTC; whole seconds. */
function wallClockMs(instant: number, timezone: string): number {
  const parts = Object.fromEntries(
    formatter(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(parts.year!, parts.month! - 1, parts.day, parts.hour, parts.minute, parts.second);
}

const DAY_MS = 86_400_000;
const FORMATTERS = new Map<string, Intl.DateTimeFormat>();

function formatter(timezone: string): Intl.DateTimeFormat {
  let known = FORMATTERS.get(timezone);
  if (!known) {
    known = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    FORMATTERS.set(timezone, known);
  }
  return known;
}
