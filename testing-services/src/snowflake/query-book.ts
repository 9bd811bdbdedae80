import type { DuckDBValue } from '@duckdb/node-api';
import type { CheckScript } from '../check-script.ts';
import type { SqlEngine, SqlResult } from '../sql-engine.ts';

export interface QueryRequest {
  readonly sql: string;
  readonly database: string;
  readonly schema: string;
  /** The same id again answers the query that runs under it. */
  readonly requestId: string;
  /** Several statements in one text. */
  readonly isScript: boolean;
  readonly bindings: Readonly<Record<string, { readonly type: string; readonly value: string | null }>>;
}

export interface Query {
  readonly id: string;
  readonly sql: string;
  readonly work: Promise<void>;
  status: 'RUNNING' | 'SUCCESS' | 'FAILED_WITH_ERROR' | 'ABORTED';
  results: readonly SqlResult[];
  /** The ids of the statements of a script. */
  childIds: readonly string[];
  error?: { readonly code: string; readonly sqlState: string; readonly message: string };
}

/** The queries of a Snowflake account, whichever protocol asks. */
export class QueryBook {
  /** The ids of queries it accepted, and of those it was asked to cancel. */
  readonly submitted: string[] = [];
  readonly cancelled: string[] = [];
  readonly #queries = new Map<string, Query>();
  readonly #byRequest = new Map<string, Query>();
  readonly #engine: SqlEngine;
  readonly #checks: CheckScript | undefined;
  #count = 0;

  constructor(engine: SqlEngine, checks: CheckScript | undefined) {
    this.#engine = engine;
    this.#checks = checks;
  }

  find(id: string): Query | undefined {
    return this.#queries.get(id);
  }

  /** A plain query is counted as submitted where it is to go on without its caller. */
  submit(request: QueryRequest, options: { isAsync: boolean }): Query {
    const known = this.#byRequest.get(request.requestId);
    if (known) return known;
    const id = this.#nextId();
    const isScripted = options.isAsync && this.#checks !== undefined;
    const query: Query = {
      id,
      sql: request.sql,
      status: 'RUNNING',
      results: [],
      childIds: [],
      work: this.#run(() => query, request, isScripted),
    };
    this.#queries.set(id, query);
    this.#byRequest.set(request.requestId, query);
    if (options.isAsync) this.submitted.push(id);
    return query;
  }

  /** One look at a query that goes on by itself, as the script says. */
  async look(query: Query): Promise<'transient' | undefined> {
    const answer = query.status === 'RUNNING' ? this.#checks?.next() : undefined;
    if (answer === 'transient') return 'transient';
    if (answer === 'failed') {
      query.error = { code: '000603', sqlState: 'XX000', message: 'The stand-in failed this statement.' };
      query.status = 'FAILED_WITH_ERROR';
    }
    if (answer === 'done') {
      await query.work;
      query.status = query.error ? 'FAILED_WITH_ERROR' : 'SUCCESS';
    }
    return undefined;
  }

  /** The end of a query whose caller waits for it. With a script, `pending` hides its rows. */
  async settle(query: Query): Promise<'transient' | undefined> {
    await query.work;
    const answer = this.#checks?.next();
    if (answer === 'transient') return 'transient';
    if (answer === 'failed') query.error = { code: '003001', sqlState: '42501', message: 'Insufficient privileges' };
    if (answer === 'pending') query.results = query.results.map((result) => ({ ...result, rows: [] }));
    return undefined;
  }

  /** False if it had ended already. */
  cancel(query: Query): boolean {
    this.cancelled.push(query.id);
    if (query.status !== 'RUNNING') return false;
    query.error = { code: '000604', sqlState: '57014', message: 'SQL execution canceled' };
    query.status = 'ABORTED';
    return true;
  }

  async #run(made: () => Query, request: QueryRequest, isScripted: boolean): Promise<void> {
    await null;
    const query = made();
    const place = { catalog: request.database, schema: request.schema };
    try {
      const values = Object.values(request.bindings).map(bound);
      query.results = request.isScript
        ? await this.#engine.runScript(request.sql, place)
        : [await this.#engine.run(request.sql, place, values)];
      if (query.results.length > 1) query.childIds = query.results.map((result) => this.#addChild(query, result));
    } catch (error) {
      query.error ??= {
        code: '001003',
        sqlState: '42000',
        message: `SQL compilation error: ${(error as Error).message}`,
      };
    }
    if (!isScripted && query.status === 'RUNNING') query.status = query.error ? 'FAILED_WITH_ERROR' : 'SUCCESS';
  }

  #nextId(): string {
    this.#count += 1;
    return `01b2c3d4-0000-0000-0000-${String(this.#count).padStart(12, '0')}`;
  }

  #addChild(parent: Query, result: SqlResult): string {
    const id = this.#nextId();
    this.#queries.set(id, { ...parent, id, results: [result], childIds: [], status: 'SUCCESS' });
    return id;
  }
}

function bound({ type, value }: QueryRequest['bindings'][string]): DuckDBValue {
  if (value === null) return null;
  if (type === 'FIXED') return BigInt(value);
  if (type === 'REAL') return Number(value);
  return type === 'BOOLEAN' ? value === 'true' : value;
}
