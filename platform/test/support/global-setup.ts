import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { readPostmasterFile } from '../../src/postgres/postmaster-file.ts';
import { isProcessRunning } from '../../src/postgres/process-state.ts';
import { stopPostmaster } from '../../src/postgres/stop-postmaster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's url. Tests make their own databases there: `createTestDatabase`. */
    postgresUrl: string;
  }
}

const PREFIX = 'windhover-test-run-';

/**
 * One PostgreSQL for the whole run, 0.5 s to start. With WINDHOVER_TEST_DATABASE_URL the tests use that server instead,
 * such as Debian's 15.
 */
export default async function setUpPostgres(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.WINDHOVER_TEST_DATABASE_URL;
  if (given) {
    project.provide('postgresUrl', given);
    return undefined;
  }
  await removeAbandonedServers();
  const directory = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // mkdtemp makes it 0700, which as root would send the data to /var/lib/windhover.
  await chmod(directory, 0o755);
  const postgres = await startEmbeddedPostgres({
    dataRoot: join(directory, '.windhover'),
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  });
  project.provide('postgresUrl', postgres.url);
  return async () => {
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
}

/** A run that was killed leaves its server. The directory tells by its name whose it was. */
async function removeAbandonedServers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || isProcessRunning(pid)) continue;
    const dataDirectory = join(tmpdir(), name, '.windhover/postgres/data');
    // Another user's, or one that another run is just removing, is left alone.
    const file = await readPostmasterFile(dataDirectory).catch(() => null);
    if (file && file !== 'unreadable') await stopPostmaster(dataDirectory, file.pid).catch(() => {});
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}
