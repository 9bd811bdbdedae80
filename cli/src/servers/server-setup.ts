import { join } from 'node:path';
import type { Logger } from '@windhover/core';
import { checkDatabase, openPlatform, type Platform, parseSecretKeys } from '@windhover/platform';
import { readConnectionTypes } from '@windhover/worker';
import { findProject } from '../api-client/locate-server.ts';
import { loadConfig } from '../config/load-config.ts';
import type { ResolvedConfig } from '../config/resolved-config.ts';
import type { Io } from '../io.ts';
import { loadLogStore, loadSecretsBackends } from './plugins.ts';
import { ServerSetupError } from './server-setup-error.ts';

/** What a server begins with: its project, the configuration, and where it says what it does. */
export interface ServerSetup {
  readonly io: Io;
  readonly config: ResolvedConfig;
  /** `.windhover` of the project. */
  readonly dataRoot: string;
  readonly log: Logger;
}

export async function setUpServer(io: Io, log: Logger): Promise<ServerSetup> {
  const config = await loadConfig({ projectRoot: findProject(io.cwd) ?? io.cwd, env: io.env });
  return { io, config, log, dataRoot: join(config.projectRoot, '.windhover') };
}

/** The platform on the server that the configuration names: for every server but `standalone`. */
export async function openConfiguredPlatform(setup: ServerSetup, applicationName: string): Promise<Platform> {
  const { config } = setup;
  const databaseUrl = databaseUrlOrThrow(config);
  if (config.secretKeys === null)
    throw new ServerSetupError(
      'WINDHOVER_SECRET_KEYS is not set. Every server of one platform needs the same keys; make one with: openssl rand -base64 32',
    );
  await checkDatabase(databaseUrl);
  return openPlatformOn(setup, { databaseUrl, secretKeys: parseSecretKeys(config.secretKeys), applicationName });
}

export function databaseUrlOrThrow(config: ResolvedConfig): string {
  if (config.database.url !== null) return config.database.url;
  throw new ServerSetupError(
    'No database is configured: set WINDHOVER_DATABASE_URL (postgres://user:password@host:5432/database). To try Windhover without one, run: windhover standalone',
  );
}

export async function openPlatformOn(
  { config, io }: ServerSetup,
  given: { readonly databaseUrl: string; readonly secretKeys: readonly string[]; readonly applicationName: string },
): Promise<Platform> {
  return openPlatform({
    ...given,
    poolSize: config.database.poolSize,
    logStore: await loadLogStore(config),
    secretsBackends: await loadSecretsBackends(config),
    connectionTypes: readConnectionTypes(config.projectRoot),
    env: io.env,
    triggererLeaseMs: config.triggerer.leaseMs,
  });
}
