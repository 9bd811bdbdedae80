import type { CheckScript } from '../check-script.ts';
import { SqlEngine, type SqlResult } from '../sql-engine.ts';
import { StandInServer } from '../stand-in-server.ts';
import { DriverProtocol } from './driver-protocol.ts';
import { QueryBook } from './query-book.ts';
import { SqlApi } from './sql-api.ts';

export interface SnowflakeOptions {
  /** What running queries answer, check after check. Default: the truth, at once. */
  readonly checks?: CheckScript;
  /** The password of every user. Default: `secret`. */
  readonly password?: string;
  /** PEM by user, in upper case. Default: none. */
  readonly publicKeys?: Readonly<Record<string, string>>;
  /** OAuth and programmatic access tokens. Default: none. */
  readonly tokens?: readonly string[];
  /** Rows in a partition of the SQL API. Default: 1,000. */
  readonly partitionSize?: number;
}

/** A Snowflake account on one address: the driver's protocol and the SQL API over the same queries and tables. */
export interface Snowflake {
  readonly url: string;
  readonly server: StandInServer;
  readonly queries: QueryBook;
  readonly driver: DriverProtocol;
  readonly sqlApi: SqlApi;
  /** Runs SQL beside all protocol, to prepare or to look. Default schema: `PUBLIC` of `DB`. */
  sql(sql: string): Promise<SqlResult>;
  stop(): Promise<void>;
}

export async function startSnowflake(options: SnowflakeOptions = {}): Promise<Snowflake> {
  const { checks, password = 'secret', partitionSize = 1_000 } = options;
  const publicKeys = new Map(Object.entries(options.publicKeys ?? {}));
  const tokens = new Set(options.tokens ?? []);
  const engine = await SqlEngine.open();
  const queries = new QueryBook(engine, checks);
  const driver = new DriverProtocol({
    queries,
    checks,
    accepts({ AUTHENTICATOR: kind, LOGIN_NAME: user, PASSWORD, TOKEN = '' }) {
      if (kind === 'SNOWFLAKE_JWT') return publicKeys.has(user?.toUpperCase());
      return kind === 'OAUTH' || kind === 'PROGRAMMATIC_ACCESS_TOKEN' ? tokens.has(TOKEN) : PASSWORD === password;
    },
  });
  const sqlApi = new SqlApi({ queries, checks, partitionSize, publicKeys, tokens });
  const server = await StandInServer.start((request) =>
    request.path.startsWith('/api/v2/statements') ? sqlApi.handle(request) : driver.handle(request),
  );
  return {
    url: server.url,
    server,
    queries,
    driver,
    sqlApi,
    sql: (sql) => engine.run(sql, { catalog: 'DB', schema: 'PUBLIC' }),
    async stop() {
      await server.stop();
      engine.close();
    },
  };
}
