import { BaseHook, type Connection, type ConnectionSource, type ConnectionTestResult } from '@windhover/core';
import { decodeRow, type SnowflakeRow } from './rows.ts';
import { SnowflakeError } from './snowflake-error.ts';
import { readSettings, type SnowflakeOverrides } from './snowflake-settings.ts';
import { type SqlApiAnswer, SqlApiClient, type SqlApiStatement, type SqlApiTokenOptions } from './sql-api-client.ts';

/** How a statement ended. */
export type StatementEnd =
  | { readonly status: 'done'; readonly queryIds: readonly string[] }
  | { readonly status: 'failed'; readonly queryId: string; readonly error: StatementError };

export interface StatementError {
  readonly code: string;
  readonly message: string;
  /** Default: Snowflake gave none. */
  readonly sqlState?: string;
}

/**
 * Snowflake's SQL REST API, with a key pair, OAuth or a programmatic access token. A statement is known by its handle
 * alone: no session has to be kept, so thousands of waits cost no connection.
 */
export class SnowflakeSqlApiHook extends BaseHook<SqlApiClient> {
  static readonly connType = 'snowflake';
  readonly #overrides: SnowflakeOverrides;
  readonly #tokenOptions: SqlApiTokenOptions;

  constructor(
    source: ConnectionSource,
    connId = 'snowflake_default',
    overrides: SnowflakeOverrides = {},
    tokenOptions: SqlApiTokenOptions = {},
  ) {
    super(source, connId);
    this.#overrides = overrides;
    this.#tokenOptions = tokenOptions;
  }

  protected async createClient(connection: Connection): Promise<SqlApiClient> {
    const settings = await readSettings(connection, this.#overrides);
    const { request } = await import('undici');
    return new SqlApiClient(this.connId, settings, this.#tokenOptions, request);
  }

  override async testConnection(): Promise<ConnectionTestResult> {
    try {
      await this.query({ sql: 'select 1' });
      return { isSuccess: true, message: 'Snowflake answers over its SQL API.' };
    } catch (error) {
      return { isSuccess: false, message: (error as Error).message };
    }
  }

  /**
   * Submits without waiting, and answers the handle, or the end where it came at once. `requestId` names the submission:
   * with `isRetry`, Snowflake looks whether it had it before.
   */
  async submit(
    statement: SqlApiStatement,
    requestId: string,
    isRetry: boolean,
  ): Promise<{ handle: string; end?: StatementEnd }> {
    const client = await this.client();
    const query = `?async=true&requestId=${requestId}${isRetry ? '&retry=true' : ''}`;
    const answer = await client.call('submit a statement', 'POST', query, client.bodyOf(statement));
    const end = endOf(answer);
    return { handle: answer.body.statementHandle!, ...(end ? { end } : {}) };
  }

  /** How a statement ended; undefined while it runs. */
  async finishedStatement(handle: string): Promise<StatementEnd | undefined> {
    return endOf(await (await this.client()).call(`look up statement ${handle}`, 'GET', `/${handle}`));
  }

  /** A statement that has ended, or is unknown, is no error. */
  async cancel(handle: string): Promise<void> {
    try {
      await (await this.client()).call(`cancel statement ${handle}`, 'POST', `/${handle}/cancel`);
    } catch (error) {
      if (!(error instanceof SnowflakeError && error.status === 404)) throw error;
    }
  }

  /** The rows of a statement that has ended, over all partitions. */
  async readRows(handle: string): Promise<SnowflakeRow[]> {
    const client = await this.client();
    const doing = `read the rows of statement ${handle}`;
    const first = await client.call(doing, 'GET', `/${handle}`);
    const end = endOf(first);
    if (end?.status !== 'done')
      throw new SnowflakeError(doing, this.connId, { message: end ? end.error.message : 'It still runs' });
    return this.#rows(first, handle);
  }

  /** Runs a short statement and waits for its rows. */
  async query(statement: SqlApiStatement, signal?: AbortSignal): Promise<SnowflakeRow[]> {
    const client = await this.client();
    const answer = await client.call('run a query', 'POST', '', client.bodyOf(statement), signal);
    const end = endOf(answer);
    if (end?.status === 'failed')
      throw new SnowflakeError('run a query', this.connId, { ...end.error, errorCode: end.error.code });
    const handle = answer.body.statementHandle!;
    if (end) return this.#rows(answer, handle);
    return this.#waitForRows(handle, signal);
  }

  /** Snowflake answers within 45 seconds that a query goes on; its own time is not the caller's clock. */
  async #waitForRows(handle: string, signal: AbortSignal | undefined): Promise<SnowflakeRow[]> {
    const { setTimeout: sleep } = await import('node:timers/promises');
    try {
      while (!(await this.finishedStatement(handle))) await sleep(2_000, undefined, signal ? { signal } : {});
    } catch (error) {
      // Whoever asked is gone; nobody will look for the answer.
      if (signal?.aborted) await this.cancel(handle);
      throw error;
    }
    return this.readRows(handle);
  }

  async #rows(first: SqlApiAnswer, handle: string): Promise<SnowflakeRow[]> {
    const { rowType = [], partitionInfo = [] } = first.body.resultSetMetaData ?? {};
    const rows = [...(first.body.data ?? [])];
    const client = await this.client();
    for (let partition = 1; partition < partitionInfo.length; partition += 1) {
      const doing = `read partition ${partition} of statement ${handle}`;
      const { body } = await client.call(doing, 'GET', `/${handle}?partition=${partition}`);
      rows.push(...(body.data ?? []));
    }
    return rows.map((row) => decodeRow(rowType, row));
  }
}

function endOf({ status, body }: SqlApiAnswer): StatementEnd | undefined {
  if (status === 202) return undefined;
  const queryId = body.statementHandle ?? '';
  if (status === 200) return { status: 'done', queryIds: body.statementHandles ?? [queryId] };
  const { code = String(status), message = 'Snowflake gave no reason.', sqlState } = body;
  return { status: 'failed', queryId, error: { code, message, ...(sqlState ? { sqlState } : {}) } };
}
