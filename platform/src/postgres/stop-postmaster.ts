import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findPostgresBinaries, programPath } from './postgres-binaries.ts';
import { isPostmasterOf } from './postmaster-file.ts';

const POLL_INTERVAL_MS = 10;

/**
 * What is sent, and how long it may take. SIGINT is PostgreSQL's fast shutdown: transactions are rolled back and a
 * checkpoint is written. SIGQUIT leaves the checkpoint out; the next start then recovers from the log, as after SIGKILL.
 */
const STEPS: readonly { signal: NodeJS.Signals; timeoutMs: number }[] = [
  { signal: 'SIGINT', timeoutMs: 30_000 },
  { signal: 'SIGQUIT', timeoutMs: 10_000 },
  { signal: 'SIGKILL', timeoutMs: 10_000 },
];

/** Stops the server of a data directory and resolves when it is gone, also one that another process started. */
export async function stopPostmaster(dataDirectory: string, pid: number): Promise<void> {
  const isRunning = () => isPostmasterOf(dataDirectory, pid);
  if (process.platform === 'win32') return stopByPgCtl(dataDirectory, isRunning);
  for (const { signal, timeoutMs } of STEPS) {
    if (!isRunning()) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    const deadline = performance.now() + timeoutMs;
    while (isRunning() && performance.now() < deadline) await sleep(POLL_INTERVAL_MS);
  }
  if (isRunning()) throw new Error(`PostgreSQL (pid ${pid}, ${dataDirectory}) does not end, not even by SIGKILL.`);
}

/** On Windows every signal of Node is a hard kill. */
async function stopByPgCtl(dataDirectory: string, isRunning: () => boolean): Promise<void> {
  if (!isRunning()) return;
  const { nativeDirectory } = await findPostgresBinaries();
  const timeoutSeconds = String(STEPS[0]!.timeoutMs / 1000);
  await promisify(execFile)(programPath(nativeDirectory, 'pg_ctl'), [
    'stop',
    ...['-D', dataDirectory, '-m', 'fast', '-w', '-t', timeoutSeconds],
  ]);
}
