import type { Stats } from 'node:fs';
import { glob, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Duration, durationMs } from '@windhover/core';

export interface FileQuery {
  /**
   * A file, a directory (whatever files are in it, at any depth) or a glob pattern such as `in/*.csv`. Relative
   * paths begin at the project.
   */
  readonly filepath: string;
  /** In bytes; smaller files do not count. Default: 0. */
  readonly minSize?: number;
  /** Files that were written to within this time do not count: they may still grow. Default: they count. */
  readonly stableFor?: Duration;
}

/** The files that satisfy the query at this instant, in alphabetical order. */
export async function findFiles(query: FileQuery, now: Date): Promise<readonly string[]> {
  const { minSize = 0, stableFor } = query;
  const lastChangeMs = stableFor === undefined ? Number.POSITIVE_INFINITY : now.getTime() - durationMs(stableFor);
  const found: string[] = [];
  for (const path of await candidates(query.filepath)) {
    const file = await statOrNull(path);
    // Also the time of its last metadata change, which no program can set: copying tools give a file an old mtime.
    if (file?.isFile() && file.size >= minSize && Math.max(file.mtimeMs, file.ctimeMs) <= lastChangeMs)
      found.push(path);
  }
  return found.sort();
}

/** A path that exists is meant literally, even if it looks like a pattern. */
async function candidates(filepath: string): Promise<readonly string[]> {
  const literal = await statOrNull(filepath);
  const roots: string[] = literal ? [filepath] : [];
  if (!literal) for await (const path of glob(filepath)) roots.push(path);
  const files = await Promise.all(roots.map(filesIn));
  return [...new Set(files.flat())];
}

async function filesIn(path: string): Promise<readonly string[]> {
  if (!(await statOrNull(path))?.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(nullIfGone);
  return (entries ?? []).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch(nullIfGone);
}

/** Files come and go while one looks. */
function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
