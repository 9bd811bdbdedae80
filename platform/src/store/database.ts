import pg from 'pg';

/** What query modules need: a pool, a client in a transaction, or a test's stand-in. */
export interface Queryable {
  query<Row extends pg.QueryResultRow = any>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Default: 10. */
  readonly poolSize?: number;
  /** Shows up in pg_stat_activity. Default: `windhover`. */
  readonly applicationName?: string;
}

/**
 * Connections to PostgreSQL. bigint columns come as numbers: ids and epochs stay far below 2 ** 53.
 *
 * `force_generic_plan`: with fresh statistics where all tasks are `none`, the planner chooses a nested loop over unnest
 * for `state = 'queued'`, and the first batches take 250 ms instead of 2.
 */
export class Database implements Queryable {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Statements sent so far; the cost of a task is counted in them. */
  statements = 0;
  transactions = 0;

  constructor(options: DatabaseOptions) {
    this.url = options.url;
    this.pool = new pg.Pool({
      connectionString: options.url,
      max: options.poolSize ?? 10,
      application_name: options.applicationName ?? 'windhover',
      idle_in_transaction_session_timeout: 30_000,
      options: '-c plan_cache_mode=force_generic_plan -c timezone=UTC',
      types: {
        getTypeParser: (oid: number, format: any) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
      } as any,
    });
    // Without a listener an idle connection that breaks ends the process; the next query gets a new one.
    this.pool.on('error', () => {});
  }

  query<Row extends pg.QueryResultRow = any>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>> {
    this.statements += 1;
    return this.pool.query<Row>(text, values);
  }

  /** All that `work` does is committed together, or not at all. */
  async transaction<T>(work: (client: Queryable) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    const counted: Queryable = {
      query: (text, values) => {
        this.statements += 1;
        return client.query(text, values);
      },
    };
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const result = await work(counted);
      await client.query('commit');
      this.transactions += 1;
      return result;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

const INT8 = 20;
