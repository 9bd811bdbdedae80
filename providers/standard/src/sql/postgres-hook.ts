import { readFile } from 'node:fs/promises';
import { BaseHook, type Connection, type ConnectionTestResult } from '@windhover/core';
import type { ClientConfig } from 'pg';
import { PostgresError } from './postgres-error.ts';
import { type ColumnTypes, storableTypes } from './postgres-values.ts';

/** A row by its columns' names. */
export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlStatement {
  readonly sql: string;
  /** For `$1`, `$2` … Default: none. */
  readonly parameters?: readonly unknown[];
}

/**
 * Statements on a PostgreSQL server. Each call has a connection of its own, which ends with it: a task that waits, or a
 * trigger between two checks, holds none.
 *
 * ```ts
 * const [row] = await new PostgresHook(context, 'warehouse').query('select count(*) from sales where day = $1', [day]);
 * ```
 */
export class PostgresHook extends BaseHook<PostgresServer> {
  static readonly connType = 'postgres';

  /** The rows of one statement. */
  async query(sql: string, parameters: readonly unknown[] = [], signal?: AbortSignal): Promise<readonly SqlRow[]> {
    const results = await this.run([{ sql, parameters }], { ...(signal ? { signal } : {}) });
    return results[0]!;
  }

  /**
   * The rows of each statement, in one transaction unless `autocommit` is set. An abort cancels the statement under way,
   * on the server too.
   */
  async run(
    statements: readonly SqlStatement[],
    options: { readonly autocommit?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<readonly (readonly SqlRow[])[]> {
    const { autocommit = false, signal } = options;
    return this.withConnection(signal, async (query) => {
      const isTransaction = !autocommit && statements.length > 1;
      if (isTransaction) await query('begin', []);
      const results: (readonly SqlRow[])[] = [];
      for (const { sql, parameters = [] } of statements) results.push(await query(sql, parameters));
      // A failure before this line ends the connection, and so rolls back.
      if (isTransaction) await query('commit', []);
      return results;
    });
  }

  override async testConnection(): Promise<ConnectionTestResult> {
    try {
      const [row] = await this.query('select version() as version');
      return { isSuccess: true, message: `Connected to ${row!.version}.` };
    } catch (error) {
      return { isSuccess: false, message: (error as Error).message };
    }
  }

  protected async createClient(connection: Connection): Promise<PostgresServer> {
    const { host = 'localhost', port = 5432, login, password, schema, extra } = connection;
    const { applicationName = 'windhover', connectTimeoutSeconds = 10 } = extra;
    return {
      name: `${host}:${port}/${schema ?? login ?? ''}`,
      config: {
        host,
        port,
        ...(login ? { user: login } : {}),
        ...(password ? { password } : {}),
        ...(schema ? { database: schema } : {}),
        application_name: String(applicationName),
        connectionTimeoutMillis: Number(connectTimeoutSeconds) * 1_000,
        ssl: await sslOf(connection),
      },
    };
  }

  private async withConnection<T>(signal: AbortSignal | undefined, act: (query: Query) => Promise<T>): Promise<T> {
    const { name, config } = await this.client();
    signal?.throwIfAborted();
    const { Client, types } = (await import('pg')).default;
    const client = new Client({ ...config, types: storableTypes(types as ColumnTypes) as ClientConfig['types'] });
    // A connection that breaks while no statement is under way would otherwise end the process.
    client.on('error', () => {});
    const cancel = () => void cancelStatement(new Client(config), client);
    try {
      await client.connect();
      signal?.throwIfAborted();
      signal?.addEventListener('abort', cancel, { once: true });
      return await act(async (sql, parameters) => {
        const result = await client.query(sql, [...parameters]);
        // A text with several statements has several results, of which the last counts.
        const last: { rows?: SqlRow[] } | undefined = Array.isArray(result) ? result.at(-1) : result;
        return (last?.rows ?? []).map((row) => ({ ...row }));
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new PostgresError(this.connId, name, error);
    } finally {
      signal?.removeEventListener('abort', cancel);
      await client.end().catch(() => {});
    }
  }
}

/** Where a hook connects to. */
export interface PostgresServer {
  /** For messages: host, port and database. */
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

type Query = (sql: string, parameters: readonly unknown[]) => Promise<readonly SqlRow[]>;

/** By a second connection, as psql does it: the first one is busy. */
async function cancelStatement(helper: import('pg').Client, busy: import('pg').Client): Promise<void> {
  const { processID } = busy as unknown as { processID: number };
  try {
    await helper.connect();
    await helper.query('select pg_cancel_backend($1)', [processID]);
  } catch {
    // The server cannot be reached: then its statement ends with the connection.
  } finally {
    await helper.end().catch(() => {});
  }
}

/** The meaning of libpq's `sslmode`, without its modes that fall back to plain text unnoticed. */
async function sslOf({ connId, extra }: Connection): Promise<false | { rejectUnauthorized: boolean; ca?: string }> {
  const { sslmode = 'disable', sslrootcert } = extra;
  const ca = typeof sslrootcert === 'string' ? { ca: await readFile(sslrootcert, 'utf8') } : {};
  switch (sslmode) {
    case 'disable':
      return false;
    case 'require':
      return { rejectUnauthorized: false, ...ca };
    case 'verify-full':
      return { rejectUnauthorized: true, ...ca };
    default:
      throw new TypeError(
        `Connection "${connId}" has the sslmode ${JSON.stringify(sslmode)}. Take disable, require or verify-full.`,
      );
  }
}
