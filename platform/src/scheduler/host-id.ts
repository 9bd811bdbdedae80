import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names this machine since its last start, and the space of process ids this process lives in. Only there does it mean
 * anything that a process id is free: containers may share a host name. Null where the system does not tell.
 */
export function hostId(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()}/${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's, but alive.
    return (error as { code?: string }).code === 'EPERM';
  }
}
