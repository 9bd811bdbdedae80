import { setTimeout as sleep } from 'node:timers/promises';
import type { Output } from '../output/output.ts';
import { reconnecting } from './reconnecting.ts';

const SHORTEST_MS = 150;
const LONGEST_MS = 2_000;
const GROWTH = 1.5;

/**
 * What `read` answers, each time it is another answer than before. Asks often while things change and seldom while
 * they do not. Ends when the signal is aborted.
 */
export async function* poll<T>(
  read: (signal: AbortSignal) => Promise<T>,
  output: Output,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  let last: string | null = null;
  let delayMs = SHORTEST_MS;
  try {
    while (!signal.aborted) {
      const value = await reconnecting(() => read(signal), output, signal);
      const text = JSON.stringify(value);
      delayMs = text === last ? Math.min(delayMs * GROWTH, LONGEST_MS) : SHORTEST_MS;
      if (text !== last) yield value;
      last = text;
      await sleep(delayMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
