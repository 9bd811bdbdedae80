import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What `windhover standalone` leaves for the other commands of its project. Only its owner may read it. */
export interface StandaloneFile {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

export function writeStandaloneFile(path: string, content: StandaloneFile): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify(content)}\n`, { mode: 0o600 });
}

/** Null where there is none, or its process is gone. */
export function readLivingStandalone(path: string): StandaloneFile | null {
  try {
    const found = JSON.parse(readFileSync(path, 'utf8')) as StandaloneFile;
    process.kill(found.pid, 0);
    return found;
  } catch {
    return null;
  }
}

export function removeStandaloneFile(path: string): void {
  rmSync(path, { force: true });
}
