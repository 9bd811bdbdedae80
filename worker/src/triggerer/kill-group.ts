import type { ChildProcess } from 'node:child_process';

/** Ends a process that leads a group, and whatever its code has started. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It is gone, or there are no groups here, as on Windows.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
}
