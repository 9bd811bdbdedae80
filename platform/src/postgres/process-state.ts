import { readFileSync } from 'node:fs';

/**
 * Whether a process runs. A zombie does not: it holds nothing any more, but `kill(pid, 0)` still succeeds for it, and in
 * a container whose first process reaps nobody it stays for ever.
 */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const state = readProcessStat(pid)?.state;
  return state !== 'Z' && state !== 'X';
}

/** Tells a process from a later one with the same pid. Null where there is no /proc. */
export function getProcessStartTicks(pid: number): string | null {
  return readProcessStat(pid)?.startTicks ?? null;
}

function readProcessStat(pid: number): { state: string; startTicks: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in the second field may hold spaces and parentheses, so fields are counted from its end.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTicks: fields[19] ?? '' };
  } catch {
    return null;
  }
}
