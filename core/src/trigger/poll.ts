import { type Duration, durationMs } from '../duration.ts';
import type { Logger } from '../log/logger.ts';
import { PollBudgetError } from './poll-budget-error.ts';
import { PollTimeoutError } from './poll-timeout-error.ts';
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
  /** Passing failures in a row that came before, likewise. Default: 0. */
  readonly failuresBefore?: number;
  /** There is a last check at this instant; then it ends with `PollTimeoutError`. Default: it goes on. */
  readonly until?: Date;
}

/** What polling needs from its surroundings; a `TriggerScope` and a worker offer it. */
export interface PollHost {
  now(): Date;
  sleep(waitMs: number): Promise<void>;
  readonly log: Logger;
  /** Told after each check; `nextInMs` is undefined after the last. Default: nobody. */
  onPoll?(outcome: 'found' | 'nothing' | 'failure', nextInMs: number | undefined, error?: unknown): void;
}

/** The loop behind `scope.poll` and every sensor, in all modes: check, sleep, check. */
export async function poll<T>(check: () => Promise<T | undefined>, options: PollOptions, host: PollHost): Promise<T> {
  const { until, isTransient = isTransientError, maxFailures = 10 } = options;
  let failures = options.failuresBefore ?? 0;
  for (let checks = options.checksBefore ?? 0; ; checks += 1) {
    let waitMs = pollIntervalMs(options, checks);
    let failure: unknown;
    try {
      const found = await check();
      if (found !== undefined) {
        host.onPoll?.('found', undefined);
        return found;
      }
      failures = 0;
    } catch (error) {
      if (!isTransient(error)) throw error;
      failure = error;
      failures += 1;
      if (failures > maxFailures) throw new PollBudgetError(failures, error);
      const backoffMs = pollIntervalMs({ ...options, exponentialBackoff: true }, failures - 1);
      waitMs = Math.max(backoffMs, retryAfterMs(error) ?? 0);
    }
    if (until && host.now() >= until) throw new PollTimeoutError(until, failure);
    waitMs = cutTo(until, waitMs, host.now());
    if (failure)
      host.log.warning(`Check failed, trying again in ${waitMs} ms: ${(failure as Error).message ?? failure}`);
    host.onPoll?.(failure ? 'failure' : 'nothing', waitMs, failure);
    await host.sleep(waitMs);
  }
}

/** How long to sleep after the check with this index: its interval, but not beyond `until`. */
export function nextWaitMs(options: PollOptions, checks: number, now: Date): number {
  return cutTo(options.until, pollIntervalMs(options, checks), now);
}

function cutTo(until: Date | undefined, waitMs: number, now: Date): number {
  return until ? Math.min(waitMs, Math.max(0, until.getTime() - now.getTime())) : waitMs;
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
