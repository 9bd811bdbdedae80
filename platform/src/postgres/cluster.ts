import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, chown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { programPath } from './postgres-binaries.ts';
import { PostgresBinariesError } from './postgres-binaries-error.ts';
import type { PostgresHome } from './postgres-home.ts';
import { PostgresStartError } from './postgres-start-error.ts';
import { serverEnvironment } from './server-environment.ts';

export const SUPERUSER = 'windhover';

/** In the data directory, so that cluster and password come into being in one rename and are never apart. */
const PASSWORD_FILE = 'windhover-password';
const DRAFT_PREFIX = 'data.init-';

/** Kept in postgresql.conf, where one may change them. What depends on the machine's state is on the command line. */
const SETTINGS = {
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

export async function hasCluster(home: PostgresHome): Promise<boolean> {
  return (await stat(home.dataDirectory).catch(() => null)) !== null;
}

export async function readPassword(home: PostgresHome): Promise<string> {
  return (await readFile(join(home.dataDirectory, PASSWORD_FILE), 'utf8')).trim();
}

/**
 * Makes an empty cluster, whole or not at all: initdb works in a draft directory, and the rename at the end is what
 * makes it count.
 */
export async function createCluster(home: PostgresHome, nativeDirectory: string, signal?: AbortSignal): Promise<void> {
  await removeDrafts(home);
  const draft = join(home.directory, `${DRAFT_PREFIX}${process.pid}-${randomBytes(4).toString('hex')}`);
  // initdb wants an empty directory, so the password waits beside it.
  const passwordFile = `${draft}.password`;
  try {
    await makeOwned(home, draft, () => mkdir(draft, { mode: 0o700 }));
    const password = randomBytes(24).toString('hex');
    await makeOwned(home, passwordFile, () => writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' }));
    await runInitdb(home, nativeDirectory, draft, passwordFile, signal);
    await rename(passwordFile, join(draft, PASSWORD_FILE));
    await syncToDisk(join(draft, PASSWORD_FILE));
    await syncToDisk(draft);
    await rename(draft, home.dataDirectory);
    await syncToDisk(home.directory);
  } catch (error) {
    await removeDrafts(home);
    throw error;
  }
}

async function runInitdb(
  home: PostgresHome,
  nativeDirectory: string,
  draft: string,
  passwordFile: string,
  signal?: AbortSignal,
): Promise<void> {
  const path = programPath(nativeDirectory, 'initdb');
  const child = spawn(
    path,
    [
      `--pgdata=${draft}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--locale=C',
      '--encoding=UTF8',
      ...Object.entries(SETTINGS).map(([name, value]) => `--set=${name}=${value}`),
    ],
    {
      // Our own working directory may be one that the other user cannot enter.
      cwd: home.directory,
      env: serverEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      ...(home.user ?? {}),
      ...(signal ? { signal } : {}),
    },
  );
  let output: string[];
  try {
    output = (await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])).slice(
      0,
      2,
    ) as string[];
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const reason = `${path} does not run (${(cause as Error).message}). The binaries need glibc on Linux`;
    throw new PostgresBinariesError(`${process.platform}-${process.arch}`, reason, { cause });
  }
  if (child.exitCode === 0) return;
  await appendFile(home.logFile, output.join(''), { mode: 0o600 });
  throw new PostgresStartError(`initdb ended with ${child.signalCode ?? `code ${child.exitCode}`}`, {
    dataDirectory: home.dataDirectory,
    logFile: home.logFile,
    logTail: output.join('').trimEnd().split('\n').slice(-15).join('\n'),
  });
}

async function makeOwned(home: PostgresHome, path: string, make: () => Promise<unknown>): Promise<void> {
  await make();
  if (home.user) await chown(path, home.user.uid, home.user.gid);
}

/**
 * What a crash left. An initdb whose parent was killed may still be writing there, and then a directory resists; the
 * next start finds it again.
 */
async function removeDrafts(home: PostgresHome): Promise<void> {
  for (const name of await readdir(home.directory)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue;
    await rm(join(home.directory, name), { recursive: true, force: true }).catch(() => {});
  }
}

async function syncToDisk(path: string): Promise<void> {
  // Windows cannot open a directory.
  if (process.platform === 'win32') return;
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
