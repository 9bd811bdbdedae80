import { BaseHook, type Connection, type ConnectionSource, type ConnectionTestResult } from '@windhover/core';
import type sdk from 'snowflake-sdk';
import { plainRow, type SnowflakeParameter, type SnowflakeRow } from './rows.ts';
import { SnowflakeError } from './snowflake-error.ts';
import { readSettings, type SnowflakeOverrides, type SnowflakeSettings } from './snowflake-settings.ts';
import type { StatementEnd } from './snowflake-sql-api-hook.ts';

/**
 * Snowflake through its own driver, with password, key pair, OAuth or a programmatic access token. Its client is a
 * session: `close` ends it.
 */
export class SnowflakeHook extends BaseHook<sdk.Connection> {
  static readonly connType = 'snowflake';
  readonly #overrides: SnowflakeOverrides;
  #open: sdk.Connection | undefined;

  constructor(source: ConnectionSource, connId = 'snowflake_default', overrides: SnowflakeOverrides = {}) {
    super(source, connId);
    this.#overrides = overrides;
  }

  protected async createClient(connection: Connection): Promise<sdk.Connection> {
    const settings = await readSettings(connection, this.#overrides);
    const { default: snowflake } = await import('snowflake-sdk');
    // The driver writes a log file beside the project otherwise; what matters in it comes as an error too.
    snowflake.configure({ logLevel: 'OFF', additionalLogToConsole: false });
    const session = snowflake.createConnection(driverOptions(settings));
    this.#open = await this.#call('log in', () => {
      const { promise, resolve, reject } = Promise.withResolvers<sdk.Connection>();
      // Its error comes only here: the promise of `connectAsync` resolves for a refused login too.
      const connected = session.connectAsync((error, made) => (error ? reject(error) : resolve(made)));
      connected.catch(reject);
      return promise;
    });
    return this.#open;
  }

  override async testConnection(): Promise<ConnectionTestResult> {
    try {
      await this.query('select 1');
      return { isSuccess: true, message: 'Snowflake answers.' };
    } catch (error) {
      return { isSuccess: false, message: (error as Error).message };
    } finally {
      await this.close();
    }
  }

  /** Submits without waiting, and answers the id of the query. The same request id does not run it twice. */
  async submit(sql: string, parameters: readonly SnowflakeParameter[], requestId: string): Promise<string> {
    const session = await this.client();
    const statement = await this.#execute('submit a query', session, {
      sqlText: sql,
      requestId,
      asyncExec: true,
      parameters,
    });
    return statement.getQueryId();
  }

  /** How a query ended; undefined while it runs, waits for its warehouse or is called something new. */
  async finishedQuery(queryId: string): Promise<StatementEnd | undefined> {
    const doing = `look up query ${queryId}`;
    const session = await this.client();
    try {
      const status = await session.getQueryStatusThrowIfError(queryId);
      if (status === 'SUCCESS') return { status: 'done', queryIds: [queryId] };
      // So the driver puts it when the query is not known yet, not known at all, or the session has ended.
      const facts = { message: 'Snowflake knows nothing of it', errorCode: NO_DATA, isRetryable: true };
      if (/NO_(QUERY_)?DATA/.test(status)) throw new SnowflakeError(doing, this.connId, facts);
      return undefined;
    } catch (error) {
      if (error instanceof SnowflakeError) throw error;
      const end = failureOf(queryId, error);
      if (end) return end;
      throw this.#explained(doing, error);
    }
  }

  /** The rows of a query that has ended. */
  async readRows(queryId: string): Promise<SnowflakeRow[]> {
    const session = await this.client();
    const { promise, resolve, reject } = Promise.withResolvers<SnowflakeRow[]>();
    const complete = (error: unknown, _statement: unknown, rows?: readonly Record<string, unknown>[]) =>
      error ? reject(error) : resolve((rows ?? []).map(plainRow));
    return this.#call(`read the rows of query ${queryId}`, async () => {
      session.fetchResult({ queryId, complete } as Parameters<sdk.Connection['fetchResult']>[0]);
      return promise;
    });
  }

  /** Runs a short query and waits for its rows. */
  async query(sql: string, parameters: readonly SnowflakeParameter[] = []): Promise<SnowflakeRow[]> {
    const session = await this.client();
    let found: readonly Record<string, unknown>[] = [];
    const keep = (rows: readonly Record<string, unknown>[]) => {
      found = rows;
    };
    await this.#execute('run a query', session, { sqlText: sql, parameters }, keep);
    return found.map(plainRow);
  }

  /** A query that has ended, or is unknown, is no error. */
  async cancel(queryId: string): Promise<void> {
    await this.query(`select SYSTEM$CANCEL_QUERY('${queryId.replaceAll("'", '')}')`);
  }

  async close(): Promise<void> {
    const session = this.#open;
    this.#open = undefined;
    if (!session) return;
    // A session that cannot be ended ends by itself.
    await new Promise<void>((resolve) => {
      session.destroy(() => resolve());
    });
  }

  #execute(
    doing: string,
    session: sdk.Connection,
    options: Pick<sdk.StatementOption, 'sqlText' | 'requestId' | 'asyncExec'> & {
      readonly parameters: readonly SnowflakeParameter[];
    },
    keep: (rows: readonly Record<string, unknown>[]) => void = () => {},
  ): Promise<sdk.RowStatement> {
    const { parameters, ...statement } = options;
    return this.#call(doing, () => {
      const { promise, resolve, reject } = Promise.withResolvers<sdk.RowStatement>();
      session.execute({
        ...statement,
        ...(parameters.length > 0 ? { binds: [...parameters] } : {}),
        complete(error, made, rows) {
          if (error) return reject(error);
          keep(rows ?? []);
          resolve(made as sdk.RowStatement);
        },
      });
      return promise;
    });
  }

  async #call<T>(doing: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw this.#explained(doing, error);
    }
  }

  #explained(doing: string, thrown: unknown): SnowflakeError {
    const error = thrown as DriverError;
    const status = error.response?.statusCode ?? error.response?.status;
    const isNetwork = error.name === 'NetworkError' || error.isAxiosError === true;
    const isRetryable = isNetwork || (status !== undefined && (status === 408 || status === 429 || status >= 500));
    const errorCode = error.code === undefined ? undefined : String(error.code);
    const message = error.message || 'The driver gave no reason';
    return new SnowflakeError(
      doing,
      this.connId,
      { message, status, errorCode, sqlState: error.sqlState, isRetryable },
      thrown,
    );
  }
}

/** The driver's word where an answer tells nothing of a query. */
export const NO_DATA = 'NO_DATA';

/** What errors of the driver carry, beside a message. */
interface DriverError extends Error {
  readonly code?: string | number;
  readonly sqlState?: string;
  readonly isAxiosError?: boolean;
  readonly response?: { readonly statusCode?: number; readonly status?: number };
  readonly data?: {
    readonly data?: {
      readonly queries?: readonly {
        readonly status: string;
        readonly errorCode?: string;
        readonly errorMessage?: string;
      }[];
    };
  };
}

/** The driver throws for a query that failed just as for a request that did; only the former tells of the query. */
function failureOf(queryId: string, thrown: unknown): StatementEnd | undefined {
  const { message, sqlState, data } = thrown as DriverError;
  const query = data?.data?.queries?.[0];
  if (!query) return undefined;
  const error = { code: query.errorCode || query.status, message: query.errorMessage || message };
  return { status: 'failed', queryId, error: { ...error, ...(sqlState ? { sqlState } : {}) } };
}

function driverOptions(settings: SnowflakeSettings): sdk.ConnectionOptions {
  const { account, url, user, password, privateKey, token, sessionParameters } = settings;
  const { warehouse, database, schema, role } = settings;
  const place = Object.fromEntries(Object.entries({ warehouse, database, schema, role }).filter(([, value]) => value));
  const queryTag = sessionParameters.QUERY_TAG;
  return {
    account,
    accessUrl: url,
    ...(user ? { username: user } : {}),
    ...credentials({ password, privateKey, token, authenticator: settings.authenticator }),
    ...place,
    ...(queryTag ? { queryTag } : {}),
    application: 'windhover',
    // Tries again are made by whoever polls: there they have a budget, and are seen.
    sfRetryMaxLoginRetries: 1,
  };
}

function credentials(
  settings: Pick<SnowflakeSettings, 'password' | 'privateKey' | 'token' | 'authenticator'>,
): Partial<sdk.ConnectionOptions> {
  const { password, privateKey, token, authenticator } = settings;
  if (privateKey !== undefined)
    return { authenticator: 'SNOWFLAKE_JWT', privateKey, ...(password ? { privateKeyPass: password } : {}) };
  if (token !== undefined) return { authenticator: authenticator ?? 'PROGRAMMATIC_ACCESS_TOKEN', token };
  return { ...(password ? { password } : {}), ...(authenticator ? { authenticator } : {}) };
}
