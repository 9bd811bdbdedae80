import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@windhover/core';
import { bringUpPostmaster } from './bring-up-postmaster.ts';
import { acquireLockFile } from './lock-file.ts';
import { locatePostgresHome } from './postgres-home.ts';
import { PROJECT_DATABASE, serverUrl } from './project-database.ts';
import { stopPostmaster } from './stop-postmaster.ts';

export interface EmbeddedPostgresOptions {
  /** The project's `.windhover` directory; it is made if it is missing. */
  readonly dataRoot: string;
  /** Default: nothing is logged. */
  readonly log?: Logger;
  /** Settings of PostgreSQL for this start, such as `{ fsync: 'off' }` in tests. Default: those of the cluster. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Gives up the start. A server that is already starting goes on, and the next start adopts it. Default: none. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedPostgres {
  /** With the password: not for logs. */
  readonly url: string;
  readonly pid: number;
  /** Whether the server ran already: another process started it, and may still be using it. */
  readonly isAdopted: boolean;
  /** Stops the server, also an adopted one, and resolves when it is gone. Calling it again is harmless. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL of a project, or adopts the one that runs already. It is made at the first start. When this
 * process ends without `stop`, the server runs on, and the next start adopts it.
 *
 * @example
 * ```ts
 * const postgres = await startEmbeddedPostgres({ dataRoot: join(process.cwd(), '.windhover') });
 * const pool = new Pool({ connectionString: postgres.url });
 * // …
 * await pool.end();
 * await postgres.stop();
 * ```
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  await mkdir(options.dataRoot, { recursive: true });
  const dataRoot = await realpath(options.dataRoot);
  const lock = await acquireLockFile(join(dataRoot, 'postgres.lock'), options.signal);
  try {
    const home = await locatePostgresHome(dataRoot);
    const server = await bringUpPostmaster(home, options);
    const { pid, port, isAdopted } = server;
    const what = isAdopted ? 'PostgreSQL runs already; it is adopted' : 'PostgreSQL is started';
    options.log?.info(what, { pid, port, dataDirectory: home.dataDirectory });
    let stopped: Promise<void> | undefined;
    return {
      url: serverUrl(server, server.password, PROJECT_DATABASE),
      pid,
      isAdopted,
      stop() {
        stopped ??= stopPostmaster(home.dataDirectory, pid);
        return stopped;
      },
    };
  } finally {
    await lock.release();
  }
}
