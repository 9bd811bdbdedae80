import type { CheckScript } from '../check-script.ts';
import { SqlEngine } from '../sql-engine.ts';
import { jsonOf, type StandInAnswer, type StandInRequest, StandInServer } from '../stand-in-server.ts';
import { BigQueryStandIn } from './bigquery.ts';
import { GcsStandIn } from './gcs.ts';

export interface GoogleCloudOptions {
  /** What jobs, tables and objects answer, check after check. Default: the truth, at once. */
  readonly checks?: CheckScript;
  /** When objects are written. Default: the real clock. */
  readonly now?: () => Date;
  /** Rows or objects on a page. Default: 1,000. */
  readonly pageSize?: number;
}

/** BigQuery, Cloud Storage and IAM Credentials on one address, for the `apiEndpoint` of a connection. */
export interface GoogleCloud {
  readonly url: string;
  readonly server: StandInServer;
  readonly bigQuery: BigQueryStandIn;
  readonly gcs: GcsStandIn;
  /** As whom each request to BigQuery and Cloud Storage came. */
  callers(): readonly string[];
  stop(): Promise<void>;
}

export async function startGoogleCloud(options: GoogleCloudOptions = {}): Promise<GoogleCloud> {
  const { checks, now = checks?.now ?? (() => new Date()), pageSize = 1_000 } = options;
  const engine = await SqlEngine.open();
  const gcs = new GcsStandIn({ now, pageSize, checks });
  const bigQuery = new BigQueryStandIn({ engine, gcs, pageSize, checks });
  const server = await StandInServer.start((request) => {
    if (request.path === TOKEN_EXCHANGE) return exchangeToken();
    if (request.path.endsWith(':generateAccessToken')) return generateAccessToken(request);
    return request.path.startsWith('/storage/v1/') ? gcs.handle(request) : bigQuery.handle(request);
  });
  return {
    url: server.url,
    server,
    bigQuery,
    gcs,
    callers: () => server.requests.filter(({ path }) => !isAboutTokens(path)).map(callerOf),
    async stop() {
      await server.stop();
      engine.close();
    },
  };
}

const TOKEN_EXCHANGE = '/v1/token';

function isAboutTokens(path: string): boolean {
  return path === TOKEN_EXCHANGE || path.endsWith(':generateAccessToken');
}

/** Security Token Service: a token of another cloud for one of Google. */
function exchangeToken(): StandInAnswer {
  const issued_token_type = 'urn:ietf:params:oauth:token-type:access_token';
  return { body: { access_token: 'federated', issued_token_type, token_type: 'Bearer', expires_in: 3600 } };
}

/** IAM Credentials: a token for another account. The stand-in's tokens tell whom they are for, and through whom. */
function generateAccessToken(request: StandInRequest): StandInAnswer {
  const [, principal] = /serviceAccounts\/([^:]+):/.exec(request.path)!;
  const { delegates = [] } = jsonOf<{ delegates?: string[] }>(request);
  const chain = [...delegates.map((each) => each.split('/').at(-1)), principal];
  return {
    body: { accessToken: `as ${chain.join(' > ')}`, expireTime: new Date(Date.now() + 3_600_000).toISOString() },
  };
}

/** The account that signed the token, or the token itself. */
function callerOf({ headers }: StandInRequest): string {
  const token = headers.authorization?.replace(/^Bearer /, '') ?? 'anonymous';
  const claims = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token)?.[1];
  return claims === undefined
    ? token
    : (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string }).iss;
}
