import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessRunning } from './process-state.ts';

/** What `postmaster.pid` says. PostgreSQL writes the file when it starts and removes it when it stops in order. */
export interface PostmasterFile {
  readonly pid: number;
  /** NaN while the server has not chosen it yet, as with all that follows. */
  readonly port: number;
  readonly socketDirectory: string | null;
  readonly status: 'starting' | 'stopping' | 'ready' | 'standby' | 'unknown';
}

/** Null when there is none; `unreadable` when it names no process. */
export async function readPostmasterFile(dataDirectory: string): Promise<PostmasterFile | 'unreadable' | null> {
  let lines: string[];
  try {
    lines = (await readFile(postmasterFilePath(dataDirectory), 'utf8')).split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  // A negative pid is that of a standalone backend, which also owns the data.
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isInteger(pid) || pid === 0) return 'unreadable';
  const status = lines[7]?.trim();
  return {
    pid,
    port: Number.parseInt(lines[3] ?? '', 10),
    socketDirectory: lines[4] || null,
    status:
      status === 'starting' || status === 'stopping' || status === 'ready' || status === 'standby' ? status : 'unknown',
  };
}

/**
 * Whether the process is the server of just this data directory. It is asked before each signal, because a pid may have
 * gone to another process since, and before adopting, because a project copied with `cp -r` while its server ran has a
 * `postmaster.pid` that names the server of the original.
 */
export function isPostmasterOf(dataDirectory: string, pid: number): boolean {
  if (!isProcessRunning(pid)) return false;
  // Windows tells neither; that the server there answers with our password must do.
  if (process.platform === 'win32') return true;
  if (process.platform !== 'linux') return isPostmasterByCommand(dataDirectory, pid);
  try {
    if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'postgres') return false;
    // A server works in its data directory. Compared by inode, so that a project moved meanwhile is recognized.
    const [working, own] = [statSync(`/proc/${pid}/cwd`), statSync(dataDirectory)];
    return working.ino === own.ino && working.dev === own.dev;
  } catch (error) {
    // Some containers forbid even root to look.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return isPostmasterByCommand(dataDirectory, pid);
    return false;
  }
}

/**
 * Makes PostgreSQL look past a `postmaster.pid` whose process is a zombie or has nothing to do with it. The file is not
 * removed: it also names the shared memory, by which PostgreSQL sees that backends of the dead server still write to the
 * data, and waits for them to go. But the pid of its own parent, ours, PostgreSQL never takes for another server.
 */
export async function disownPostmasterFile(dataDirectory: string): Promise<void> {
  const path = postmasterFilePath(dataDirectory);
  const [, ...rest] = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, [String(process.pid), ...rest].join('\n'));
}

export async function removePostmasterFile(dataDirectory: string): Promise<void> {
  await rm(postmasterFilePath(dataDirectory), { force: true });
}

function isPostmasterByCommand(dataDirectory: string, pid: number): boolean {
  try {
    const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes('postgres') && command.includes(dataDirectory);
  } catch {
    return false;
  }
}

function postmasterFilePath(dataDirectory: string): string {
  return join(dataDirectory, 'postmaster.pid');
}
