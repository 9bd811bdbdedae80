import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { getProcessStartTicks, isProcessRunning } from './process-state.ts';

export interface LockFile {
  release(): Promise<void>;
}

interface LockOwner {
  readonly pid: number;
  readonly startTicks: string | null;
}

const POLL_INTERVAL_MS = 20;

/**
 * Waits until this call alone holds the lock. Node has no `flock`, so the lock is a file that names its owner, and the
 * lock of a dead owner is taken over. It also excludes another call in the same process.
 */
export async function acquireLockFile(path: string, signal?: AbortSignal): Promise<LockFile> {
  const owner: LockOwner = { pid: process.pid, startTicks: getProcessStartTicks(process.pid) };
  // Linked into place and not written in place: nobody ever reads half a lock file.
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  await writeFile(draft, JSON.stringify(owner), { mode: 0o644 });
  try {
    while (!(await tryLink(draft, path))) {
      if (await isStale(path)) await removeStale(path, signal);
      else await sleep(POLL_INTERVAL_MS, undefined, { signal });
    }
  } finally {
    await rm(draft, { force: true });
  }
  return { release: () => rm(path, { force: true }) };
}

/**
 * Between reading a dead owner's name and removing the file, another waiter may have removed it and made its own. So
 * who removes holds a lock for that, made the same way, and looks again.
 */
async function removeStale(path: string, signal?: AbortSignal): Promise<void> {
  const removal = await acquireLockFile(`${path}.removal`, signal);
  try {
    if (await isStale(path)) await rm(path, { force: true });
  } finally {
    await removal.release();
  }
}

async function isStale(path: string): Promise<boolean> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const owner = parseOwner(text);
  if (owner === null || !isProcessRunning(owner.pid)) return true;
  return owner.startTicks !== getProcessStartTicks(owner.pid);
}

/** Null for a file that no version of this module has written whole: a machine that lost power leaves such ones. */
function parseOwner(text: string): LockOwner | null {
  try {
    const owner = JSON.parse(text) as LockOwner;
    return Number.isInteger(owner.pid) && owner.pid > 0 ? owner : null;
  } catch {
    return null;
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
