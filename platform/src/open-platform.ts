import type { LogStore, SecretsBackend } from '@windhover/core';
import { Lookup } from './connections/lookup.ts';
import { Keyring } from './crypto/keyring.ts';
import { DagFileStore } from './dags/dag-file-store.ts';
import { DagVersions } from './dags/dag-versions.ts';
import { TaskApiServer } from './execution-api/task-api-server.ts';
import { Tokens } from './execution-api/tokens.ts';
import { Database } from './store/database.ts';
import { Notifications } from './store/notifications.ts';
import { ChangeWriter } from './task-instances/change-writer.ts';
import { TriggerApiServer } from './triggers/trigger-api-server.ts';

export interface PlatformOptions {
  readonly databaseUrl: string;
  /** Connections of this process. Default: 10. */
  readonly poolSize?: number;
  /** Shows up in pg_stat_activity. Default: `windhover`. */
  readonly applicationName?: string;
  /** The first encrypts and signs, all decrypt and verify. */
  readonly secretKeys: readonly string[];
  readonly logStore: LogStore;
  /** Connections may be given there. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Asked in this order, before the database. Default: none. */
  readonly secretsBackends?: readonly SecretsBackend[];
  /** How long a silent triggerer keeps its triggers. Default: 30 seconds. */
  readonly triggererLeaseMs?: number;
  /** By connection type: the hook that tests it. Default: none. */
  readonly connectionTypes?: ReadonlyMap<string, string>;
}

/** What every server of the platform's side works with. */
export interface Platform {
  readonly database: Database;
  readonly notifications: Notifications;
  readonly cipher: Keyring;
  readonly tokens: Tokens;
  readonly versions: DagVersions;
  readonly writer: ChangeWriter;
  readonly logStore: LogStore;
  readonly lookup: Lookup;
  readonly taskApi: TaskApiServer;
  readonly triggerApi: TriggerApiServer;
  readonly dagApi: DagFileStore;
  /** After everything that uses it has stopped. */
  close(): Promise<void>;
}

/** Connects to a database that has the current schema. */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const { databaseUrl: url, poolSize = 10, applicationName = 'windhover', secretKeys, logStore } = options;
  const database = new Database({ url, poolSize, applicationName });
  const notifications = new Notifications(url);
  await notifications.start();
  const cipher = new Keyring(secretKeys);
  const tokens = new Tokens(secretKeys);
  const versions = new DagVersions();
  const writer = new ChangeWriter({ database, cipher, versions });
  const { env = {}, secretsBackends = [], connectionTypes = new Map(), triggererLeaseMs } = options;
  const lookup = new Lookup({ database, cipher, env, secretsBackends });
  const services = { database, notifications, cipher, tokens, versions, writer, logStore, lookup, connectionTypes };
  const lease = triggererLeaseMs === undefined ? {} : { leaseMs: triggererLeaseMs };
  const triggerApi = new TriggerApiServer({ ...services, ...lease });
  return {
    ...services,
    taskApi: new TaskApiServer(services),
    triggerApi,
    dagApi: new DagFileStore(database),
    async close() {
      triggerApi.close();
      await writer.flush();
      await notifications.close();
      await logStore.close?.();
      await database.close();
    },
  };
}
