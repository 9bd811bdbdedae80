import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { programPath } from './postgres-binaries.ts';
import { PostgresBinariesError } from './postgres-binaries-error.ts';
import type { PostgresHome } from './postgres-home.ts';
import { serverEnvironment } from './server-environment.ts';

export const LOOPBACK = '127.0.0.1';

/**
 * Starts the server and does not wait for it. It is on its own: a Ctrl-C in our terminal does not reach it, it writes to
 * a file and not to a pipe of ours, and so it survives us, to be adopted by the next start.
 */
export async function launchPostmaster(
  home: PostgresHome,
  nativeDirectory: string,
  settings: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  await clearSockets(home);
  const path = programPath(nativeDirectory, 'postgres');
  const log = await open(home.logFile, 'a', 0o600);
  try {
    const allSettings = {
      ...settings,
      listen_addresses: LOOPBACK,
      port: String(await findFreePort()),
      unix_socket_directories: home.socketDirectory ? quoteListItem(home.socketDirectory) : '',
    };
    const child = spawn(
      path,
      ['-D', home.dataDirectory, ...Object.entries(allSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        cwd: home.directory,
        env: serverEnvironment(),
        stdio: ['ignore', log.fd, log.fd],
        detached: true,
        windowsHide: true,
        ...(home.user ?? {}),
      },
    );
    await once(child, 'spawn');
    child.unref();
    return child;
  } catch (cause) {
    const reason = `${path} does not run (${(cause as Error).message}). The binaries need glibc on Linux`;
    throw new PostgresBinariesError(`${process.platform}-${process.arch}`, reason, { cause });
  } finally {
    await log.close();
  }
}

/**
 * Why a server that ended at once may do better at the next try, as its log tells; null when it will not. Each of these
 * is a race with another process: somebody took the port, a server whose parent died was just starting, or backends of
 * a killed server are still ending.
 */
export function explainTransientExit(logTail: string): string | null {
  if (logTail.includes('could not bind')) return 'the port was taken';
  if (/lock file ".*" already exists/.test(logTail)) return 'another server was starting';
  if (logTail.includes('pre-existing shared memory block')) return 'processes of the former server are still ending';
  return null;
}

/** Somebody may take the port before the server does; then the start is tried again. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error(`Not a port: ${address}`);
  return address.port;
}

/** A killed server leaves its socket and its lock, one pair for each port it ever had. */
async function clearSockets({ socketDirectory }: PostgresHome): Promise<void> {
  if (!socketDirectory) return;
  for (const name of await readdir(socketDirectory)) await rm(join(socketDirectory, name), { force: true });
}

/** The setting is a list of directories, separated by commas, each an SQL identifier. */
function quoteListItem(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
