import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whom the server runs as, when it cannot be us. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** nobody and nogroup, on every Linux that matters. */
const UNPRIVILEGED: ServerUser = { uid: 65534, gid: 65534 };

const SEARCH = 0o1;
const READ_AND_SEARCH = 0o5;

/**
 * PostgreSQL refuses to run as root. Root therefore runs it as the owner of the data directory (PostgreSQL insists on
 * that, too), or as nobody when there is none yet or root owns it. Null: as ourselves.
 */
export async function chooseServerUser(dataDirectory: string): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(dataDirectory).catch(() => null);
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : UNPRIVILEGED;
}

/**
 * The first part of a path, from the root down, that the user may not pass, or null when the user gets there. Decided
 * by the mode bits. The path must be real (no symbolic links), and exist.
 */
export async function findBarrier(user: ServerUser, path: string): Promise<string | null> {
  for (const part of pathsDownTo(path)) {
    const stats = await stat(part);
    const wanted = part === path ? READ_AND_SEARCH : SEARCH;
    const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0;
    if (((stats.mode >> shift) & wanted) !== wanted) return part;
  }
  return null;
}

function pathsDownTo(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...pathsDownTo(parent), path];
}
