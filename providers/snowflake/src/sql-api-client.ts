import { type Duration, durationMs } from '@windhover/core';
import { makeKeyPairJwt } from './key-pair-jwt.ts';
import type { RowType, SnowflakeBinding } from './rows.ts';
import { SnowflakeError } from './snowflake-error.ts';
import type { SnowflakeSettings } from './snowflake-settings.ts';

export interface SqlApiStatement {
  readonly sql: string;
  readonly bindings?: Readonly<Record<string, SnowflakeBinding>>;
  /** How many statements `sql` holds; 0 is any number. Default: 1. */
  readonly statementCount?: number;
  /** After which Snowflake gives up. Default: as the account says. */
  readonly timeout?: Duration;
  readonly queryTag?: string;
}

export interface SqlApiTokenOptions {
  /** Default: 59 minutes; Snowflake allows an hour. */
  readonly tokenLifeTime?: Duration;
  /** After which a new one is made. Default: 54 minutes. */
  readonly tokenRenewalDelta?: Duration;
}

export interface SqlApiAnswer {
  readonly status: number;
  readonly body: {
    readonly code?: string;
    readonly message?: string;
    readonly sqlState?: string;
    readonly statementHandle?: string;
    readonly statementHandles?: readonly string[];
    readonly resultSetMetaData?: { readonly rowType: readonly RowType[]; readonly partitionInfo: readonly unknown[] };
    readonly data?: readonly (readonly (string | null)[])[];
  };
}

/** The answers that speak of the statement and not of the request: 408 means that its own timeout has passed. */
const ABOUT_THE_STATEMENT: readonly number[] = [200, 202, 408, 422];

/** Requests with the headers and tokens of one connection. */
export class SqlApiClient {
  readonly #connId: string;
  readonly #settings: SnowflakeSettings;
  readonly #options: SqlApiTokenOptions;
  readonly #request: typeof import('undici').request;
  #token: { readonly text: Promise<string>; readonly madeAtMs: number } | undefined;

  constructor(
    connId: string,
    settings: SnowflakeSettings,
    options: SqlApiTokenOptions,
    request: typeof import('undici').request,
  ) {
    this.#connId = connId;
    this.#settings = settings;
    this.#options = options;
    this.#request = request;
  }

  bodyOf({ sql, bindings, statementCount = 1, timeout, queryTag }: SqlApiStatement): object {
    const { warehouse, database, schema, role, sessionParameters } = this.#settings;
    return {
      statement: sql,
      ...(timeout === undefined ? {} : { timeout: Math.ceil(durationMs(timeout) / 1000) }),
      ...(bindings === undefined ? {} : { bindings }),
      ...Object.fromEntries(Object.entries({ warehouse, database, schema, role }).filter(([, value]) => value)),
      parameters: {
        ...sessionParameters,
        ...(queryTag === undefined ? {} : { QUERY_TAG: queryTag }),
        MULTI_STATEMENT_COUNT: String(statementCount),
      },
    };
  }

  /** One request; after a 401 once more with a new token, because one may have expired while its task waited. */
  async call(
    doing: string,
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    signal?: AbortSignal,
  ): Promise<SqlApiAnswer> {
    for (let isRenewed = false; ; isRenewed = true) {
      const answer = await this.#send(doing, method, path, body, signal);
      if (ABOUT_THE_STATEMENT.includes(answer.status)) return answer;
      if (answer.status === 401 && !isRenewed && this.#settings.privateKey !== undefined) {
        this.#token = undefined;
        continue;
      }
      const { message = `Snowflake answered ${answer.status}`, code: errorCode, sqlState } = answer.body;
      throw new SnowflakeError(doing, this.#connId, { message, status: answer.status, errorCode, sqlState });
    }
  }

  async #send(doing: string, method: 'GET' | 'POST', path: string, body?: object, signal?: AbortSignal) {
    const headers = { ...(await this.#authorization(doing)), accept: 'application/json', 'user-agent': 'windhover' };
    try {
      const answer = await this.#request(`${this.#settings.url}/api/v2/statements${path}`, {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        ...(signal ? { signal } : {}),
        headersTimeout: 90_000,
      });
      return { status: answer.statusCode, body: await readBody(answer) };
    } catch (error) {
      throw new SnowflakeError(doing, this.#connId, { message: (error as Error).message || String(error) }, error);
    }
  }

  async #authorization(doing: string): Promise<Record<string, string>> {
    const { token, privateKey, authenticator } = this.#settings;
    if (privateKey !== undefined) return bearer(await this.#keyPairToken(doing), 'KEYPAIR_JWT');
    if (token !== undefined)
      return bearer(token, authenticator?.toUpperCase() === 'OAUTH' ? 'OAUTH' : 'PROGRAMMATIC_ACCESS_TOKEN');
    const message = 'The SQL API takes no password: the connection needs privateKeyFile, privateKeyContent or token';
    throw new SnowflakeError(doing, this.#connId, { message, isRetryable: false });
  }

  #keyPairToken(doing: string): Promise<string> {
    const { tokenLifeTime = '59m', tokenRenewalDelta = '54m' } = this.#options;
    const isFresh = this.#token && Date.now() - this.#token.madeAtMs < durationMs(tokenRenewalDelta);
    if (this.#token && isFresh) return this.#token.text;
    const text = makeKeyPairJwt(this.#settings, durationMs(tokenLifeTime)).catch((error: unknown) => {
      this.#token = undefined;
      const message = `The private key cannot be used: ${(error as Error).message}`;
      throw new SnowflakeError(doing, this.#connId, { message, isRetryable: false });
    });
    this.#token = { text, madeAtMs: Date.now() };
    return text;
  }
}

function bearer(token: string, kind: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'x-snowflake-authorization-token-type': kind };
}

/** A proxy may answer with a page instead of JSON, and Snowflake compresses later partitions on its own. */
async function readBody(answer: {
  headers: Record<string, string | string[] | undefined>;
  body: { bytes(): Promise<Uint8Array> };
}): Promise<SqlApiAnswer['body']> {
  const bytes = await answer.body.bytes();
  const { gunzipSync } = await import('node:zlib');
  const text = Buffer.from(answer.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  try {
    return JSON.parse(text) as SqlApiAnswer['body'];
  } catch {
    return text === '' ? {} : { message: text.slice(0, 200) };
  }
}
