import { ConformanceError } from './conformance-test.ts';

/** Below the five seconds after which vitest and others give up on a test without saying what was missing. */
export const DEFAULT_TIMEOUT_MS = 4_000;

/**
 * Waits for a condition, never for a duration. `what` completes the message «Waited 4000 ms in vain until …».
 *
 * ```ts
 * await until(() => received.length === 3, 'three signals have come');
 * ```
 */
export async function until(condition: () => unknown, what: string, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  // The condition is asked once more after each sleep, so that a machine that stood still does not fail a test.
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new ConformanceError(`Waited ${timeoutMs} ms in vain until ${what}`);
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 4);
    });
  }
}
