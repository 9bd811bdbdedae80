import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto';
import type { CheckScript } from '../check-script.ts';
import { jsonOf, type StandInAnswer, type StandInRequest } from '../stand-in-server.ts';
import type { Query, QueryBook, QueryRequest } from './query-book.ts';
import { rowSet, rowTypes } from './snowflake-rows.ts';

export interface Statement {
  readonly statement: string;
  readonly database?: string;
  readonly schema?: string;
  readonly role?: string;
  readonly warehouse?: string;
  readonly bindings?: QueryRequest['bindings'];
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface SqlApiOptions {
  readonly queries: QueryBook;
  readonly checks: CheckScript | undefined;
  /** Rows in a partition of a result. */
  readonly partitionSize: number;
  /** PEM by user, in upper case. */
  readonly publicKeys: ReadonlyMap<string, string>;
  /** Tokens that are taken beside those signed by a key. */
  readonly tokens: ReadonlySet<string>;
}

/** Snowflake's SQL REST API: submit, poll, partitions, cancel, and who may. */
export class SqlApi {
  /** As whom each request came. */
  readonly callers: string[] = [];
  /** What each statement asked to run with. */
  readonly statements: Statement[] = [];
  readonly #options: SqlApiOptions;

  constructor(options: SqlApiOptions) {
    this.#options = options;
  }

  async handle(request: StandInRequest): Promise<StandInAnswer> {
    const caller = this.#authorize(request);
    if (typeof caller !== 'string') return caller;
    this.callers.push(caller);
    const [, , , , handle, verb] = request.path.split('/');
    if (handle === undefined) return this.#submit(request);
    const query = this.#options.queries.find(handle);
    if (!query) return problem(404, '391918', `Statement handle ${handle} not found.`);
    if (verb === 'cancel') return this.#cancel(query);
    return this.#look(query, Number(request.query.get('partition') ?? 0));
  }

  #authorize({ headers }: StandInRequest): string | StandInAnswer {
    const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
    const kind = headers['x-snowflake-authorization-token-type'];
    if (kind !== 'KEYPAIR_JWT')
      return this.#options.tokens.has(token) ? `token ${token}` : problem(401, '390303', 'Invalid OAuth access token.');
    const [head = '', claims = '', signature = ''] = token.split('.');
    const { iss, sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
      string,
      string | number
    >;
    const pem = this.#options.publicKeys.get(String(sub).split('.')[1] ?? '');
    const isGenuine =
      pem !== undefined &&
      iss === `${sub}.${fingerprint(pem)}` &&
      verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), pem, Buffer.from(signature, 'base64url'));
    if (!isGenuine) return problem(401, '390144', 'JWT token is invalid.');
    return Number(exp) * 1000 < Date.now() ? problem(401, '390114', 'JWT token has expired.') : String(sub);
  }

  async #submit(request: StandInRequest): Promise<StandInAnswer> {
    const body = jsonOf<Statement>(request);
    const { statement: sql, database = 'DB', schema = 'PUBLIC', bindings = {}, parameters = {} } = body;
    this.statements.push(body);
    const isAsync = request.query.get('async') === 'true';
    const isScript = (parameters.MULTI_STATEMENT_COUNT ?? '1') !== '1' && Object.keys(bindings).length === 0;
    const requestId = request.query.get('requestId') ?? randomUUID();
    const query = this.#options.queries.submit({ sql, database, schema, requestId, bindings, isScript }, { isAsync });
    if (isAsync) return running(query);
    const { queries, checks } = this.#options;
    if ((await queries.settle(query)) === 'transient') return checks!.transient(TOO_MANY);
    return this.#finished(query, 0);
  }

  async #look(query: Query, partition: number): Promise<StandInAnswer> {
    const { queries, checks } = this.#options;
    if ((await queries.look(query)) === 'transient') return checks!.transient(TOO_MANY);
    return query.status === 'RUNNING' ? running(query) : this.#finished(query, partition);
  }

  #cancel(query: Query): StandInAnswer {
    if (!this.#options.queries.cancel(query)) return problem(422, '000709', 'The statement has ended already.', query);
    return {
      body: { code: '000604', sqlState: '57014', message: 'SQL execution canceled', statementHandle: query.id },
    };
  }

  #finished(query: Query, partition: number): StandInAnswer {
    if (query.error) return problem(422, query.error.code, query.error.message, query);
    const { partitionSize } = this.#options;
    const last = query.results.at(-1)!;
    const rows = rowSet(last, 'sqlApi');
    const partitions = Math.max(1, Math.ceil(rows.length / partitionSize));
    const data = rows.slice(partition * partitionSize, (partition + 1) * partitionSize);
    if (partition > 0) return { body: { data } };
    return {
      body: {
        code: '090001',
        sqlState: '00000',
        message: 'Statement executed successfully.',
        statementHandle: query.id,
        ...(query.childIds.length > 0 ? { statementHandles: query.childIds } : {}),
        resultSetMetaData: {
          numRows: rows.length,
          format: 'jsonv2',
          rowType: rowTypes(last),
          partitionInfo: Array.from({ length: partitions }, () => ({ rowCount: partitionSize })),
        },
        data,
      },
    };
  }
}

/** How Snowflake names a public key. */
export function fingerprint(pem: string): string {
  const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(der).digest('base64')}`;
}

function running({ id }: Query): StandInAnswer {
  const message =
    'Asynchronous execution in progress. Use provided query id to perform query monitoring and management.';
  const statementStatusUrl = `/api/v2/statements/${id}`;
  return { status: 202, body: { code: '333334', message, statementHandle: id, statementStatusUrl } };
}

function problem(status: number, code: string, message: string, query?: Query): StandInAnswer {
  const facts = query ? { sqlState: query.error?.sqlState ?? '02000', statementHandle: query.id } : {};
  return { status, body: { code, message, ...facts } };
}

const TOO_MANY = problem(429, '391903', 'Too many requests.');
