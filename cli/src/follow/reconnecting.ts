import { setTimeout as sleep } from 'node:timers/promises';
import { ApiUnreachableError } from '../api-client/api-unreachable-error.ts';
import type { Output } from '../output/output.ts';

/** A server that restarts is back by then. */
const GIVE_UP_AFTER_MS = 60_000;
const RETRY_MS = 500;

/** Asks again where the server does not answer: who follows something for hours outlives a restart of it. */
export async function reconnecting<T>(read: () => Promise<T>, output: Output, signal: AbortSignal): Promise<T> {
  let lostAt: number | null = null;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ApiUnreachableError) || signal.aborted) throw error;
      if (lostAt === null) {
        lostAt = performance.now();
        output.notice('The server does not answer; trying again for a minute.');
      } else if (performance.now() - lostAt > GIVE_UP_AFTER_MS) throw error;
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}
