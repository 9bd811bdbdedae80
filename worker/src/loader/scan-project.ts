import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';

/** What the code of a project looks like at one moment. */
export interface ProjectScan {
  /** One for the project: the same on every host with the same files. */
  readonly codeHash: string;
  /** Digest by path, relative to the root, with forward slashes, sorted. */
  readonly files: ReadonlyMap<string, string>;
  /** Relative paths of the folders that were looked into, the root as `''`, each with a mark of its identity. */
  readonly directories: ReadonlyMap<string, string>;
}

/**
 * Reads what can be code: sources, JSON and the lockfile. A file that has not changed since the last scan of this
 * process is not read again. Measured on two cores: 1,000 files of 2 kB 80 ms at first, 12 ms later.
 */
export async function scanProject(projectRoot: string): Promise<ProjectScan> {
  const known = cache.get(projectRoot) ?? new Map<string, CachedDigest>();
  const walk: Walk = { root: projectRoot, known, seen: new Map(), digests: new Map(), directories: new Map() };
  await Promise.all([walkDirectory(walk, ''), addLockfileAbove(walk)]);
  cache.set(projectRoot, walk.seen);
  const files = new Map([...walk.digests].sort(([a], [b]) => (a < b ? -1 : 1)));
  const hash = createHash('sha256');
  for (const [path, digest] of files) hash.update(`${path}\0${digest}\n`);
  return { codeHash: hash.digest('hex'), files, directories: walk.directories };
}

/** True for a name whose change may change what the project's code does. */
export function isCodeFile(name: string): boolean {
  return CODE.has(extname(name)) || LOCKFILES.has(name);
}

const CODE = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json']);
const LOCKFILES = new Set([
  'pnpm-lock.yaml',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
]);
/** Folders of the root that hold what the code makes. Elsewhere a folder may be called so and hold code. */
const MADE_BY_CODE = new Set(['dist', 'logs']);

/** A file that was written this short before it was read may be written again without a sign of it (racy git). */
const SETTLED_AFTER_MS = 2_000;

interface CachedDigest {
  readonly mark: string;
  readonly digest: string;
}

interface Walk {
  readonly root: string;
  readonly known: ReadonlyMap<string, CachedDigest>;
  readonly seen: Map<string, CachedDigest>;
  readonly digests: Map<string, string>;
  readonly directories: Map<string, string>;
}

const cache = new Map<string, Map<string, CachedDigest>>();

async function walkDirectory(walk: Walk, directory: string): Promise<void> {
  const path = join(walk.root, directory);
  const [entries, stats] = await Promise.all([orGone(readdir(path, { withFileTypes: true })), orGone(stat(path))]);
  if (!entries || !stats) return;
  walk.directories.set(directory, `${stats.dev}:${stats.ino}`);
  await Promise.all(
    entries.map(async (entry) => {
      const name = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (entry.isDirectory()) return isSkipped(entry.name, directory) ? undefined : walkDirectory(walk, name);
      if (entry.isSymbolicLink()) return addLink(walk, name);
      if (entry.isFile() && isCodeFile(entry.name)) return addFile(walk, name, join(walk.root, name));
    }),
  );
}

function isSkipped(name: string, parent: string): boolean {
  return name === 'node_modules' || name.startsWith('.') || (parent === '' && MADE_BY_CODE.has(name));
}

/** A link counts by where it points; a linked folder is not entered, for it may lead back to where it stands. */
async function addLink(walk: Walk, name: string): Promise<void> {
  const path = join(walk.root, name);
  const [target, stats] = await Promise.all([orGone(readlink(path)), orGone(stat(path))]);
  if (target === undefined || !stats) return;
  if (stats.isFile() && isCodeFile(name)) return addFile(walk, name, path);
  if (stats.isDirectory()) walk.digests.set(name, `link:${target}`);
}

async function addFile(walk: Walk, name: string, path: string): Promise<void> {
  const stats = await orGone(stat(path));
  if (!stats?.isFile()) return;
  const mark = markOf(stats);
  const known = walk.known.get(name);
  const digest = known?.mark === mark ? known.digest : await digestOf(path);
  if (digest === undefined) return;
  walk.digests.set(name, digest);
  if (Date.now() - Math.max(stats.mtimeMs, stats.ctimeMs) > SETTLED_AFTER_MS) walk.seen.set(name, { mark, digest });
}

/** A member of a workspace has its lockfile further up, at most as far as the repository's root. */
async function addLockfileAbove(walk: Walk): Promise<void> {
  for (let directory = walk.root; ; directory = dirname(directory)) {
    const names = (await orGone(readdir(directory))) ?? [];
    const lockfile = names.find((name) => LOCKFILES.has(name));
    if (lockfile !== undefined && directory === walk.root) return;
    if (lockfile !== undefined) return addFile(walk, `(workspace) ${lockfile}`, join(directory, lockfile));
    if (names.includes('.git') || dirname(directory) === directory) return;
  }
}

function markOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size}:${mtimeMs}:${ctimeMs}:${ino}`;
}

async function digestOf(path: string): Promise<string | undefined> {
  const content = await orGone(readFile(path));
  return content && createHash('sha256').update(content).digest('hex');
}

/** What was removed, or may not be read, while we looked is not there. */
async function orGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'ELOOP') return undefined;
    throw error;
  }
}
