import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { CheckScript } from '../check-script.ts';
import type { StandInAnswer, StandInRequest } from '../stand-in-server.ts';
import type { Query, QueryBook, QueryRequest } from './query-book.ts';
import { rowSet, rowTypes } from './snowflake-rows.ts';

interface Session {
  readonly user: string;
  readonly role: string;
  readonly warehouse: string;
  readonly database: string;
  readonly schema: string;
}

interface LoginData {
  readonly LOGIN_NAME: string;
  readonly AUTHENTICATOR?: string;
  readonly PASSWORD?: string;
  readonly TOKEN?: string;
}

const BUSY = { status: 503, body: 'Service Unavailable' };

/** What snowflake-sdk says: sessions, queries, their status and results, and how they are cancelled. */
export class DriverProtocol {
  /** `user/role` of each request within a session. */
  readonly callers: string[] = [];
  readonly #sessions = new Map<string, Session>();
  readonly #options: { queries: QueryBook; checks: CheckScript | undefined; accepts(login: LoginData): boolean };

  constructor(options: { queries: QueryBook; checks: CheckScript | undefined; accepts(login: LoginData): boolean }) {
    this.#options = options;
  }

  /** How many sessions are open. */
  get openSessions(): number {
    return this.#sessions.size;
  }

  /** Forgets all sessions, as when their tokens expire for good. */
  expireSessions(): void {
    this.#sessions.clear();
  }

  async handle(request: StandInRequest): Promise<StandInAnswer> {
    if (request.path === '/session/v1/login-request') return this.#login(request);
    if (request.path.startsWith('/telemetry')) return ok(null);
    const token = /Token="([^"]*)"/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const session = this.#sessions.get(token);
    if (request.path === '/session') return this.#logout(token);
    if (!session) return failed('390111', 'Session no longer exists. New login required to access the service.');
    this.callers.push(`${session.user}/${session.role}`);
    if (request.path === '/queries/v1/query-request') return this.#query(request, session);
    const [, place, id = '', verb] = /^\/(monitoring\/queries|queries)\/([^/]+)\/?(.*)$/.exec(request.path) ?? [];
    const query = this.#options.queries.find(id);
    if (place === 'monitoring/queries') return this.#status(query);
    if (!query) return failed('000709', `Statement ${id} not found`);
    if (verb === 'abort-request') {
      this.#options.queries.cancel(query);
      return ok(null);
    }
    await query.work;
    return result(query);
  }

  #login(request: StandInRequest): StandInAnswer {
    const { data } = bodyOf<{ data: LoginData }>(request);
    if (!this.#options.accepts(data)) {
      const message =
        data.AUTHENTICATOR === 'SNOWFLAKE_JWT'
          ? 'JWT token is invalid.'
          : 'Incorrect username or password was specified.';
      return failed(data.AUTHENTICATOR === 'SNOWFLAKE_JWT' ? '390144' : '390100', message);
    }
    const asked = (name: string, fallback: string) => request.query.get(name) ?? fallback;
    const session = {
      user: data.LOGIN_NAME,
      role: asked('roleName', 'PUBLIC'),
      warehouse: asked('warehouse', 'WH'),
      database: asked('databaseName', 'DB'),
      schema: asked('schemaName', 'PUBLIC'),
    };
    const token = randomUUID();
    this.#sessions.set(token, session);
    return ok({
      token,
      masterToken: randomUUID(),
      validityInSeconds: 3600,
      masterValidityInSeconds: 14_400,
      displayUserName: session.user,
      serverVersion: '9.0.0',
      sessionId: this.#sessions.size,
      parameters: [{ name: 'TIMEZONE', value: 'UTC' }],
      sessionInfo: {
        databaseName: session.database,
        schemaName: session.schema,
        warehouseName: session.warehouse,
        roleName: session.role,
      },
    });
  }

  #logout(token: string): StandInAnswer {
    this.#sessions.delete(token);
    return ok(null);
  }

  async #query(request: StandInRequest, session: Session): Promise<StandInAnswer> {
    const body = bodyOf<{ sqlText: string; asyncExec?: boolean; bindings?: QueryRequest['bindings'] }>(request);
    const { queries } = this.#options;
    const cancelled = /SYSTEM\$CANCEL_QUERY\('([^']+)'\)/i.exec(body.sqlText)?.[1];
    if (cancelled !== undefined) return this.#cancelBySql(cancelled);
    const isAsync = body.asyncExec ?? false;
    const { database, schema } = session;
    const { sqlText: sql, bindings = {} } = body;
    const requestId = request.query.get('requestId')!;
    const query = queries.submit({ sql, database, schema, requestId, bindings, isScript: false }, { isAsync });
    if (isAsync) {
      const data = { queryId: query.id, getResultUrl: `/queries/${query.id}/result`, queryAbortsAfterSecs: 300 };
      return { body: { success: true, code: '333334', message: 'Query execution in progress.', data } };
    }
    if ((await queries.settle(query)) === 'transient') return this.#options.checks!.transient(BUSY);
    return result(query);
  }

  #cancelBySql(id: string): StandInAnswer {
    const query = this.#options.queries.find(id);
    if (query) this.#options.queries.cancel(query);
    const columns = [{ name: 'result', type: 'VARCHAR' }];
    const done = { id: randomUUID(), results: [{ columns, rows: [['query cancelled']], rowsChanged: 0 }] };
    return result({ ...done, sql: '', status: 'SUCCESS', childIds: [], work: Promise.resolve() });
  }

  async #status(query: Query | undefined): Promise<StandInAnswer> {
    if (!query) return ok({ queries: [] });
    if ((await this.#options.queries.look(query)) === 'transient') return this.#options.checks!.transient(BUSY);
    const { id, status, error, sql } = query;
    const errorFields = { errorCode: error?.code ?? '', errorMessage: error?.message ?? null };
    return ok({ queries: [{ id, status, state: '', sqlText: sql, ...errorFields }] });
  }
}

function result(query: Query): StandInAnswer {
  const { id, error } = query;
  if (error) {
    const data = { errorCode: error.code, sqlState: error.sqlState, queryId: id, internalError: false };
    return { body: { success: false, code: error.code, message: error.message, data } };
  }
  const [found] = query.results;
  const rowset = rowSet(found!, 'driver');
  return ok({
    parameters: [],
    rowtype: rowTypes(found!),
    rowset,
    total: rowset.length,
    returned: rowset.length,
    queryId: id,
    statementTypeId: 4096,
    version: 1,
    queryResultFormat: 'json',
    queryContext: { entries: [] },
  });
}

function ok(data: unknown): StandInAnswer {
  return { body: { success: true, code: null, message: null, data } };
}

function failed(code: string, message: string): StandInAnswer {
  return { body: { success: false, code, message, data: {} } };
}

/** The driver compresses what it sends. */
function bodyOf<T>({ body, headers }: StandInRequest): T {
  const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  return JSON.parse(text.toString()) as T;
}
