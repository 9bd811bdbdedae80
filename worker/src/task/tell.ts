import { isTransientError, StaleEpochError } from '@windhover/core';
import type { TaskLog } from './task-log.ts';

/** Makes a report. The log goes first: whoever sees the end of a workload must find all of its log. */
export async function tell(workloadId: string, log: TaskLog, send: () => Promise<void>): Promise<void> {
  await persist(() => log.flush()).catch((error) => {
    if (isGone(error)) throw error;
    // Nothing fails because its log could not be kept.
    process.stderr.write(`The log of ${workloadId} is incomplete: ${error}\n`);
  });
  await persist(send);
}

/** What failed in passing is tried again, so the call must be one that may come twice. */
export async function persist(call: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (isGone(error) || !isTransientError(error) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
    }
  }
}

const ATTEMPTS = 5;

/** Trying again is useless: the platform or the hand-off is gone. */
function isGone(error: unknown): boolean {
  return StaleEpochError.isInstance(error) || (error as { code?: unknown } | null)?.code === 'E_IPC_CLOSED';
}
