import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import { inject } from 'vitest';
import type {} from './global-setup.ts';

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** Rejects when a connection to the database is still open: a test that leaks a connection fails. */
  drop(): Promise<void>;
}

const OBJECT_IN_USE = '55006';

/**
 * A fresh database on the server of this run, for one test file.
 *
 * @example
 * ```ts
 * let database: TestDatabase;
 * beforeAll(async () => {
 *   database = await createTestDatabase();
 * });
 * afterAll(() => database.drop());
 * ```
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = options.template ? ` template ${escapeIdentifier(options.template)}` : '';
  await onServer((client) => client.query(`create database ${escapeIdentifier(name)}${template}`));
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return { url: url.href, name, drop: () => onServer((client) => dropDatabase(client, name)) };
}

export interface TestDatabaseOptions {
  /** The name of a database to copy, such as one with the schema; nobody may be connected to it. Default: an empty one. */
  readonly template?: string;
}

async function dropDatabase(client: Client, name: string): Promise<void> {
  try {
    // PostgreSQL waits up to 5 s for connections that are just closing.
    await client.query(`drop database if exists ${escapeIdentifier(name)}`);
  } catch (error) {
    if ((error as { code?: string }).code !== OBJECT_IN_USE) throw error;
    const { rows } = await client.query('select query from pg_stat_activity where datname = $1', [name]);
    await client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);
    const queries = rows.map((row) => row.query).join('\n');
    throw new Error(`${rows.length} connections to ${name} were left open. Their last statements:\n${queries}`, {
      cause: error,
    });
  }
}

async function onServer<T>(act: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}
