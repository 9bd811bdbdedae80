import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  abandonJobs,
  Database,
  keepJob,
  loadOrCreateKeyFile,
  migrate,
  parseSecretKeys,
  startEmbeddedPostgres,
} from '@windhover/platform';
import { startApiServer, startDagProcessor, startScheduler, startTriggerer } from './parts.ts';
import { type RunningServer, RunningServers } from './running-server.ts';
import { openPlatformOn, type ServerSetup } from './server-setup.ts';
import { ServerSetupError } from './server-setup-error.ts';
import { readLivingStandalone, removeStandaloneFile, writeStandaloneFile } from './standalone-file.ts';

export interface Standalone extends RunningServer {
  readonly url: string;
  readonly token: string;
  /** Resolves when the DAG files have been read once. */
  whenLoaded(): Promise<void>;
}

/** The whole platform in one process, with a PostgreSQL of its own unless one is configured. */
export async function startStandalone(setup: ServerSetup): Promise<Standalone> {
  const { config, dataRoot } = setup;
  const file = join(dataRoot, 'standalone.json');
  const other = readLivingStandalone(file);
  if (other)
    throw new ServerSetupError(
      `This project has a standalone already: process ${other.pid} at ${other.url}. Stop it first.`,
    );
  prepareDataRoot(dataRoot);
  const running = new RunningServers();
  try {
    const secretKeys =
      config.secretKeys === null
        ? await loadOrCreateKeyFile(join(dataRoot, 'secret.key'))
        : parseSecretKeys(config.secretKeys);
    const databaseUrl = config.database.url ?? (await startDatabase(setup, running));
    await prepareDatabase(databaseUrl, config.database.url === null);
    const platform = await openPlatformOn(setup, { databaseUrl, secretKeys, applicationName: 'windhover standalone' });
    running.add({ stop: () => platform.close() });
    const { url, ...api } = await startApiServer(setup, platform);
    running.add(api);
    running.add(await keepJob(platform.database, 'DagProcessor'));
    const processor = running.add(startDagProcessor(setup, platform.dagApi));
    const [triggerer, scheduler] = await Promise.all([
      startTriggerer(setup, platform.triggerApi),
      startScheduler(setup, platform),
    ]);
    running.add(triggerer);
    running.add(scheduler);
    const token = await platform.tokens.issue({ type: 'api', name: 'standalone' });
    writeStandaloneFile(file, { url, token, pid: process.pid });
    running.add({ stop: async () => removeStandaloneFile(file) });
    return { url, token, whenLoaded: () => processor.whenIdle(), stop: () => running.stop() };
  } catch (error) {
    await running.stop().catch(() => {});
    throw error;
  }
}

/** What is in there is this machine's: keys, data, logs. */
function prepareDataRoot(dataRoot: string): void {
  mkdirSync(dataRoot, { recursive: true });
  writeFileSync(join(dataRoot, '.gitignore'), '*\n');
}

async function startDatabase({ dataRoot, log }: ServerSetup, running: RunningServers): Promise<string> {
  const postgres = running.add(await startEmbeddedPostgres({ dataRoot, log }));
  return postgres.url;
}

/** `isOwn`: nobody else uses it, so whoever was at work there before has died. */
async function prepareDatabase(url: string, isOwn: boolean): Promise<void> {
  const database = new Database({ url, poolSize: 1 });
  try {
    await migrate(database);
    if (isOwn) await abandonJobs(database);
  } finally {
    await database.close();
  }
}
