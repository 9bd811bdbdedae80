import { Cron } from 'croner';
import { InvalidScheduleError } from './invalid-schedule-error.ts';
import type { Ticks } from './ticks.ts';

/**
 * The ticks of a cron expression in a time zone, as croner 11 and Vixie cron have them where clocks change. An
 * expression for one time of day (`30 2 * * *`) ticks once a day: on a day without that time when the clock has
 * jumped, on a day with it twice at the first. One for several times of day ticks at those that exist, each time.
 */
export function cronTicks(expression: string, timezone: string): Ticks {
  const cron = parseCron(expression, timezone);
  const after = (ms: number) => cron.nextRun(new Date(ms))?.getTime() ?? null;
  return {
    after,
    // croner cuts the milliseconds off, so that 02:30:00.001 would miss the tick at 02:30:00. Ticks are whole seconds.
    before: (ms) => cron.previousRuns(1, new Date(Math.ceil(ms / 1_000) * 1_000))[0]?.getTime() ?? null,
    endOf: after,
  };
}

/** A parsed pattern is 80 kB (croner has a slot for each year) and takes 30 µs: many DAGs share a few expressions. */
const CACHE_SIZE = 256;
const cache = new Map<string, Cron>();

function parseCron(expression: string, timezone: string): Cron {
  const key = `${expression} ${timezone}`;
  let cron = cache.get(key);
  if (cron) {
    cache.delete(key);
  } else {
    try {
      // sloppyRanges: "5/15" means "5-59/15", as it does to Airflow.
      cron = new Cron(expression, { timezone, mode: '5-or-6-parts', sloppyRanges: true });
      cron.nextRun(new Date(0)); // An unknown time zone is noticed only here.
    } catch (error) {
      const reason = (error as Error).message.replace(/^(CronPattern|toTZ): /, '').replace(/\.$/, '');
      throw new InvalidScheduleError(expression, timezone, reason, { cause: error });
    }
    if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value!);
  }
  cache.set(key, cron);
  return cron;
}
