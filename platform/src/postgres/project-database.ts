import { Client } from 'pg';
import { SUPERUSER } from './cluster.ts';
import { LOOPBACK } from './launch-postmaster.ts';

export const PROJECT_DATABASE = 'windhover';

const DUPLICATE_DATABASE = '42P04';
const CONNECT_TIMEOUT_MS = 5_000;

export interface ServerAddress {
  readonly port: number;
  readonly socketDirectory: string | null;
}

/**
 * The url goes through the socket, as `pg` and libpq both read it: a `host` among the parameters wins. Who does not know
 * that parameter gets to the same server through loopback.
 */
export function serverUrl(address: ServerAddress, password: string, database: string): string {
  const url = `postgresql://${SUPERUSER}:${password}@${LOOPBACK}:${address.port}/${database}`;
  return address.socketDirectory ? `${url}?host=${encodeURIComponent(address.socketDirectory)}` : url;
}

/** Rejects unless the server answers with our password; makes the project's database if it is missing. */
export async function ensureProjectDatabase(address: ServerAddress, password: string): Promise<void> {
  const client = new Client({
    connectionString: serverUrl(address, password, 'postgres'),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A server that ends now is told by the query; without a listener the event would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const found = await client.query('select 1 from pg_database where datname = $1', [PROJECT_DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${PROJECT_DATABASE}`);
  } catch (error) {
    if ((error as { code?: string }).code !== DUPLICATE_DATABASE) throw error;
  } finally {
    await client.end();
  }
}

/** Whether a server will never let us in, unlike one that is only starting, stopping or full. */
export function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  // Class 28: invalid authorization.
  return typeof code === 'string' && code.startsWith('28');
}
