import { type Duration, durationMs } from '../duration.ts';
import { InvalidOptionError } from '../operator/invalid-option-error.ts';

/**
 * When a DAG runs: a preset, a cron expression (five fields, or six with seconds first), an interval, or given dates.
 * Null runs it only by hand, by a signal or by another DAG. Evaluated by the platform, not here.
 */
export type ScheduleInput =
  | null
  | SchedulePreset
  | (string & {})
  | { readonly cron: string; readonly timezone?: string }
  | { readonly every: Duration }
  | { readonly dates: readonly Date[] };

export type SchedulePreset = keyof typeof PRESETS | '@once' | '@continuous';

/** A schedule as a DAG stores it. */
export type Schedule =
  | { readonly type: 'none' | 'once' | 'continuous' }
  | { readonly type: 'cron'; readonly expression: string; readonly timezone: string }
  | { readonly type: 'interval'; readonly everyMs: number }
  | { readonly type: 'dates'; readonly dates: readonly string[] };

export function resolveSchedule(dagId: string, input: ScheduleInput | undefined): Schedule {
  const fail = (reason: string) => new InvalidOptionError(`DAG "${dagId}"`, 'schedule', reason);
  if (input === null || input === undefined) return { type: 'none' };
  if (typeof input === 'string') {
    if (input === '@once') return { type: 'once' };
    if (input === '@continuous') return { type: 'continuous' };
    if (input.startsWith('@')) {
      const expression = (PRESETS as Record<string, string>)[input];
      if (!expression)
        throw fail(`"${input}" is none of ${[...Object.keys(PRESETS), '@once', '@continuous'].join(', ')}`);
      return { type: 'cron', expression, timezone: 'UTC' };
    }
    return { type: 'cron', ...checkCron(input, 'UTC', fail) };
  }
  if ('cron' in input) return { type: 'cron', ...checkCron(input.cron, input.timezone ?? 'UTC', fail) };
  if ('every' in input) {
    const everyMs = durationMs(input.every);
    if (everyMs < 1) throw fail('an interval must be longer than nothing');
    return { type: 'interval', everyMs };
  }
  return { type: 'dates', dates: input.dates.map((date) => date.toISOString()).sort() };
}

const PRESETS = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@quarterly': '0 0 1 */3 *',
  '@yearly': '0 0 1 1 *',
} as const;

/** A glance only, so that a misspelt expression fails where it is written; the platform parses it. */
export function checkCron(
  text: string,
  timezone: string,
  fail: (reason: string) => Error,
): { expression: string; timezone: string } {
  const expression = text.trim().replace(/\s+/g, ' ');
  if (!/^[\d*/,?LW#A-Za-z-]+( [\d*/,?LW#A-Za-z-]+){4,5}$/.test(expression)) {
    throw fail(
      `"${text}" is not a cron expression of five fields (minute hour day month weekday), or six with seconds first`,
    );
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch {
    throw fail(`"${timezone}" is not a time zone such as "Europe/Berlin"`);
  }
  return { expression, timezone };
}
