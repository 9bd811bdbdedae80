import { InvalidDurationError } from './invalid-duration-error.ts';
import { isPlainObject } from './serde/serialize.ts';

/** A span of time that carries its unit: `'30s'`, `'8h'`, `{ hours: 1, minutes: 30 }`. A bare number does not compile. */
export type Duration = `${number}${DurationUnit}` | DurationParts;

export type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd';

export interface DurationParts {
  /** Default: 0, like each of the others. */
  readonly milliseconds?: number;
  readonly seconds?: number;
  readonly minutes?: number;
  readonly hours?: number;
  readonly days?: number;
}

export function durationMs(duration: Duration): number {
  const ms = typeof duration === 'string' ? parseText(duration) : sumParts(duration);
  if (!(Number.isFinite(ms) && ms >= 0)) throw new InvalidDurationError(duration);
  return ms;
}

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const PART_MS: Record<string, number> = {
  milliseconds: UNIT_MS.ms,
  seconds: UNIT_MS.s,
  minutes: UNIT_MS.m,
  hours: UNIT_MS.h,
  days: UNIT_MS.d,
};

function parseText(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * UNIT_MS[match[2] as DurationUnit] : Number.NaN;
}

function sumParts(parts: DurationParts): number {
  if (!isPlainObject(parts)) return Number.NaN;
  return Object.entries(parts).reduce(
    (sum, [part, amount = 0]) =>
      sum + (typeof amount === 'number' ? amount : Number.NaN) * (PART_MS[part] ?? Number.NaN),
    0,
  );
}
