import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCluster, hasCluster, readPassword } from './cluster.ts';
import type { EmbeddedPostgresOptions } from './embedded-postgres.ts';
import { explainTransientExit, launchPostmaster } from './launch-postmaster.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import type { PostgresHome } from './postgres-home.ts';
import { PostgresStartError } from './postgres-start-error.ts';
import {
  disownPostmasterFile,
  isPostmasterOf,
  type PostmasterFile,
  readPostmasterFile,
  removePostmasterFile,
} from './postmaster-file.ts';
import { prepareBinaries } from './prepare-binaries.ts';
import { ensureProjectDatabase, isRefusal, type ServerAddress } from './project-database.ts';
import { readServerLogTail, rotateServerLog, serverLogSize } from './server-log.ts';
import { findBarrier } from './server-user.ts';
import { stopPostmaster } from './stop-postmaster.ts';

export interface RunningPostmaster extends ServerAddress {
  readonly pid: number;
  readonly password: string;
  readonly isAdopted: boolean;
}

const POLL_INTERVAL_MS = 10;

/** Recovery after a crash reads up to 1 GB of log; that took far less in all we saw. */
const START_TIMEOUT_MS = 120_000;

/**
 * One loop for all cases: a server that runs is waited for, and where none runs one is launched, then waited for in the
 * same way. Whatever else happens meanwhile (a server ends, another one appears) is seen in the next round. The caller
 * holds the lock of the project.
 */
export async function bringUpPostmaster(
  home: PostgresHome,
  { settings = {}, signal, log }: Pick<EmbeddedPostgresOptions, 'settings' | 'signal' | 'log'>,
): Promise<RunningPostmaster> {
  await checkReadable(home);
  const deadline = performance.now() + START_TIMEOUT_MS;
  const logStart = await serverLogSize(home.logFile);
  let launched: { child: ChildProcess; logStart: number } | null = null;
  let lastError: unknown;
  const fail = async (reason: string, since = logStart, cause = lastError) => {
    const logTail = await readServerLogTail(home.logFile, since);
    return new PostgresStartError(reason, { ...home, logTail }, { cause });
  };

  while (performance.now() < deadline) {
    signal?.throwIfAborted();
    const file = (await hasCluster(home)) ? await findRunningPostmaster(home) : null;
    if (file?.status === 'ready') {
      try {
        const password = await readPassword(home);
        await ensureProjectDatabase(file, password);
        return { ...file, password, isAdopted: file.pid !== launched?.child.pid };
      } catch (error) {
        if (isRefusal(error)) throw await fail('it runs, but refuses our password', logStart, error);
        lastError = error;
      }
    } else if (launched && hasExited(launched.child)) {
      const { child } = launched;
      const logTail = await readServerLogTail(home.logFile, launched.logStart);
      const explanation = explainTransientExit(logTail);
      const how = child.signalCode ?? `code ${child.exitCode}`;
      if (!explanation) throw await fail(`the server ended with ${how}`, launched.logStart);
      log?.warning('PostgreSQL did not start; it is tried again', { reason: explanation });
      launched = null;
      await sleep(10 * POLL_INTERVAL_MS, undefined, { signal });
    } else if (!file && !launched) {
      launched = await launch(home, settings, signal);
    }
    await sleep(POLL_INTERVAL_MS, undefined, { signal });
  }
  if (launched?.child.pid) await stopPostmaster(home.dataDirectory, launched.child.pid);
  throw await fail(`it was not ready after ${START_TIMEOUT_MS / 1000} s`);
}

async function launch(home: PostgresHome, settings: Readonly<Record<string, string>>, signal?: AbortSignal) {
  await checkReachable(home);
  const nativeDirectory = await prepareBinaries(await findPostgresBinaries(), home);
  if (await hasCluster(home)) await clearStalePostmasterFile(home);
  else await createCluster(home, nativeDirectory, signal);
  await rotateServerLog(home.logFile);
  const logStart = await serverLogSize(home.logFile);
  return { child: await launchPostmaster(home, nativeDirectory, settings), logStart };
}

/** Null when no server runs, whatever `postmaster.pid` says. */
async function findRunningPostmaster(home: PostgresHome): Promise<PostmasterFile | null> {
  const file = await readPostmasterFile(home.dataDirectory);
  return file && file !== 'unreadable' && isPostmasterOf(home.dataDirectory, file.pid) ? file : null;
}

async function clearStalePostmasterFile({ dataDirectory }: PostgresHome): Promise<void> {
  let file = await readPostmasterFile(dataDirectory);
  if (file === 'unreadable') {
    // Either a server is just writing it, or the machine lost power when one did; PostgreSQL refuses an empty one.
    await sleep(20 * POLL_INTERVAL_MS);
    file = await readPostmasterFile(dataDirectory);
    if (file === 'unreadable') await removePostmasterFile(dataDirectory);
  }
  if (file && file !== 'unreadable' && !isPostmasterOf(dataDirectory, file.pid))
    await disownPostmasterFile(dataDirectory);
}

/** A server that root started keeps its data as another user, who is not us when we are not root. */
async function checkReadable(home: PostgresHome): Promise<void> {
  try {
    await access(home.dataDirectory, constants.R_OK | constants.X_OK);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return;
    const owner = await stat(home.dataDirectory);
    const reason = `its data belongs to uid ${owner.uid}, and we are uid ${process.getuid?.()}. Start as that user or as root`;
    throw new PostgresStartError(reason, { ...home, logTail: '' }, { cause });
  }
}

/** Data may be where its server's user cannot get any more, when the modes of a parent have changed since. */
async function checkReachable(home: PostgresHome): Promise<void> {
  const barrier = home.user && (await findBarrier(home.user, home.directory));
  if (!barrier) return;
  const reason = `it runs as uid ${home.user.uid}, who may not enter ${barrier}. Allow it with: chmod o+x ${barrier}`;
  throw new PostgresStartError(reason, { ...home, logTail: '' });
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
