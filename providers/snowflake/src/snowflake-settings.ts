import { readFile } from 'node:fs/promises';
import type { Connection } from '@windhover/core';
import { SnowflakeError } from './snowflake-error.ts';

/** What a task may choose beside its connection; it reaches the trigger too. */
export interface SnowflakeOverrides {
  readonly warehouse?: string;
  readonly database?: string;
  readonly schema?: string;
  readonly role?: string;
  readonly authenticator?: string;
  readonly sessionParameters?: Readonly<Record<string, string>>;
}

/** Connection and overrides, read. */
export interface SnowflakeSettings {
  readonly account: string;
  /** Where the account answers. */
  readonly url: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** PEM; with a passphrase, that is the connection's password. */
  readonly privateKey: string | undefined;
  /** For OAuth, or a programmatic access token. */
  readonly token: string | undefined;
  readonly authenticator: string | undefined;
  readonly warehouse: string | undefined;
  readonly database: string | undefined;
  readonly schema: string | undefined;
  readonly role: string | undefined;
  readonly sessionParameters: Readonly<Record<string, string>>;
}

export async function readSettings(connection: Connection, overrides: SnowflakeOverrides): Promise<SnowflakeSettings> {
  const { connId, extra, host, login, password, schema } = connection;
  const text = (name: string) => (typeof extra[name] === 'string' && extra[name] !== '' ? extra[name] : undefined);
  const account = text('account') ?? host?.replace(/\.snowflakecomputing\.com$/, '');
  const refuse = (message: string) => new SnowflakeError('read the settings', connId, { message, isRetryable: false });
  if (account === undefined) throw refuse('It names no account');
  const privateKey = text('privateKeyContent') ?? (await readKeyFile(text('privateKeyFile'), refuse));
  return {
    account,
    url: (text('accessUrl') ?? `https://${account}.snowflakecomputing.com`).replace(/\/$/, ''),
    user: login,
    password,
    privateKey,
    token: text('token'),
    authenticator: overrides.authenticator ?? text('authenticator'),
    warehouse: overrides.warehouse ?? text('warehouse'),
    database: overrides.database ?? text('database'),
    schema: overrides.schema ?? schema ?? text('schema'),
    role: overrides.role ?? text('role'),
    sessionParameters: overrides.sessionParameters ?? {},
  };
}

async function readKeyFile(path: string | undefined, refuse: (message: string) => Error): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw refuse(`Its privateKeyFile cannot be read: ${(error as Error).message}`);
  }
}

/** Only what is set, so that it can be stored and compared. */
export function pickOverrides(args: SnowflakeOverrides): SnowflakeOverrides {
  const { warehouse, database, schema, role, authenticator, sessionParameters } = args;
  const all = { warehouse, database, schema, role, authenticator, sessionParameters };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
