import { type Duration, durationMs } from '../duration.ts';
import type { Logger } from '../log/logger.ts';
import { PollBudgetError } from './poll-budget-error.ts';
import { isTransientError, retryAfterMs } from './transient-error.ts';

export interface PollOptions {
  /** Between the end of one check and the beginning of the next. */
  readonly interval: Duration;
  /** Doubles the interval after each check that found nothing. Default: false. */
  readonly exponentialBackoff?: boolean;
  /** The longest interval, with backoff and after failures. Default: ten minutes, or the interval if longer. */
  readonly maxInterval?: Duration;
  /** How many passing failures in a row are borne. Default: 10. */
  readonly maxFailures?: number;
  /** Which errors pass. Default: `isTransientError`. */
  readonly isTransient?: (error: unknown) => boolean;
  /** How many checks were made before, where a wait goes on elsewhere; backoff continues from there. Default: 0. */
  readonly checksBefore?: number;
  /** No sleep goes beyond this instant, so that `check` can have a last look then. Default: none. */
  readonly until?: Date;
}

/** What polling needs from its surroundings; a `TriggerScope` and a worker offer it. */
export interface PollHost {
  now(): Date;
  sleep(durationMs: number): Promise<void>;
  readonly log: Logger;
  /** Told after each check; `nextInMs` is undefined after the last. Default: nobody. */
  onPoll?(outcome: 'found' | 'nothing' | 'failure', nextInMs: number | undefined, error?: unknown): void;
}

/** The loop behind `scope.poll` and every sensor, in all modes: check, sleep, check. */
export async function poll<T>(check: () => Promise<T | undefined>, options: PollOptions, host: PollHost): Promise<T> {
  let failures = 0;
  for (let checks = options.checksBefore ?? 0; ; checks += 1) {
    let waitMs = pollIntervalMs(options, checks);
    try {
      const found = await check();
      if (found !== undefined) {
        host.onPoll?.('found', undefined);
        return found;
      }
      failures = 0;
      host.onPoll?.('nothing', waitMs);
    } catch (error) {
      if (!(options.isTransient ?? isTransientError)(error)) throw error;
      failures += 1;
      if (failures > (options.maxFailures ?? 10)) throw new PollBudgetError(failures, error);
      const backoffMs = pollIntervalMs({ ...options, exponentialBackoff: true }, failures - 1);
      waitMs = Math.max(backoffMs, retryAfterMs(error) ?? 0);
      host.log.warning(`Check failed, trying again in ${waitMs} ms: ${error instanceof Error ? error.message : error}`);
      host.onPoll?.('failure', waitMs, error);
    }
    const remainingMs = options.until ? Math.max(0, options.until.getTime() - host.now().getTime()) : waitMs;
    await host.sleep(Math.min(waitMs, remainingMs));
  }
}

/** The wait after the check with this index (0 for the first). */
export function pollIntervalMs(
  options: Pick<PollOptions, 'interval' | 'exponentialBackoff' | 'maxInterval'>,
  checks: number,
): number {
  const intervalMs = durationMs(options.interval);
  if (!options.exponentialBackoff) return intervalMs;
  const maxMs =
    options.maxInterval === undefined ? Math.max(DEFAULT_MAX_INTERVAL_MS, intervalMs) : durationMs(options.maxInterval);
  return Math.min(intervalMs * 2 ** Math.min(checks, 40), maxMs);
}

const DEFAULT_MAX_INTERVAL_MS = 600_000;
