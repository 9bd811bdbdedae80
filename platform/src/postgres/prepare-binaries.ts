import { chmod, copyFile, mkdir, readdir, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { PostgresHome } from './postgres-home.ts';
import { findBarrier, type ServerUser } from './server-user.ts';

/**
 * Makes the programs runnable for whom the server runs as, and returns the directory that holds `bin` and `lib`. They
 * stay in node_modules when that user gets there; else they are copied to the home (60 MB, about 0.1 s, once for each
 * version).
 */
export async function prepareBinaries(binaries: PostgresBinaries, home: PostgresHome): Promise<string> {
  const { nativeDirectory } = binaries;
  if ((await isReachable(nativeDirectory, home.user)) && (await makeSymlinks(binaries, nativeDirectory))) {
    return nativeDirectory;
  }
  const copy = join(home.directory, `binaries-${binaries.platform}-${binaries.version}`);
  if (!(await stat(copy).catch(() => null))) {
    await removeCopies(home.directory);
    // Renamed when complete, so that a crash leaves no half copy under the final name.
    await copyReadable(nativeDirectory, `${copy}.part`);
    await makeSymlinks(binaries, `${copy}.part`);
    await rename(`${copy}.part`, copy);
  }
  return copy;
}

async function isReachable(nativeDirectory: string, user: ServerUser | null): Promise<boolean> {
  if (!user) return true;
  for (const part of ['bin/postgres', 'bin/initdb', 'lib', 'share']) {
    if ((await findBarrier(user, join(nativeDirectory, part))) !== null) return false;
  }
  return true;
}

/** False when the directory cannot be written to, as with a package that the administrator installed. */
async function makeSymlinks(binaries: PostgresBinaries, nativeDirectory: string): Promise<boolean> {
  for (const link of binaries.symlinks) {
    const path = join(nativeDirectory, link.path);
    const target = relative(dirname(link.path), link.target);
    if ((await readlink(path).catch(() => null)) === target) continue;
    try {
      await symlink(target, path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

async function removeCopies(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.startsWith('binaries-'));
  await Promise.all(names.map((name) => rm(join(directory, name), { recursive: true, force: true })));
}

/** Readable for everybody, whatever the modes of the original and the umask are. */
async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const source = join(from, entry.name);
      const target = join(to, entry.name);
      if (entry.isDirectory()) return copyReadable(source, target);
      // The links are made afterwards, from the list.
      if (!entry.isFile()) return;
      await copyFile(source, target);
      await chmod(target, (await stat(source)).mode & 0o100 ? 0o755 : 0o644);
    }),
  );
}
