import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBResultReader,
  type DuckDBValue,
  type Json,
} from '@duckdb/node-api';

export interface SqlResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Whole numbers beyond 32 bits, decimals, dates and times are texts. */
  readonly rows: readonly (readonly Json[])[];
  readonly rowsChanged: number;
}

/** DuckDB in memory, with catalogs and schemas made as they are named. It runs SQL as sent: no dialect is translated. */
export class SqlEngine {
  readonly #instance: DuckDBInstance;
  readonly #catalogs = new Map<string, Promise<unknown>>();

  private constructor(instance: DuckDBInstance) {
    this.#instance = instance;
  }

  static async open(): Promise<SqlEngine> {
    const engine = new SqlEngine(await DuckDBInstance.create(':memory:'));
    await engine.#with(undefined, undefined, (connection) => connection.run(`set timezone = 'UTC'`));
    return engine;
  }

  close(): void {
    this.#instance.closeSync();
  }

  /** One statement; the names in it are looked for in that catalog and schema first. */
  run(sql: string, place: { catalog: string; schema?: string }, values: readonly DuckDBValue[] = []) {
    return this.#with(place.catalog, place.schema, async (connection): Promise<SqlResult> => {
      return resultOf(await connection.runAndReadAll(sql, values.length > 0 ? [...values] : undefined));
    });
  }

  /** Runs several statements on one connection, and answers the result of each. */
  async runScript(sql: string, place: { catalog: string; schema?: string }): Promise<SqlResult[]> {
    return this.#with(place.catalog, place.schema, async (connection) => {
      const statements = await connection.extractStatements(sql);
      const results: SqlResult[] = [];
      for (let index = 0; index < statements.count; index += 1) {
        results.push(resultOf(await (await statements.prepare(index)).runAndReadAll()));
      }
      return results;
    });
  }

  async createSchema(catalog: string, schema: string): Promise<void> {
    await this.#with(catalog, undefined, (connection) =>
      connection.run(`create schema if not exists ${quote(schema)}`),
    );
  }

  async hasTable(catalog: string, schema: string, table: string): Promise<boolean> {
    const { rows } = await this.run(
      `select 1 from information_schema.tables
       where lower(table_catalog) = lower(?) and lower(table_schema) = lower(?) and lower(table_name) = lower(?)`,
      { catalog },
      [catalog, schema, table],
    );
    return rows.length > 0;
  }

  async #with<T>(
    catalog: string | undefined,
    schema: string | undefined,
    use: (connection: DuckDBConnection) => Promise<T>,
  ): Promise<T> {
    if (catalog !== undefined) await this.#attach(catalog);
    const connection = await this.#instance.connect();
    try {
      if (catalog !== undefined) await connection.run(`use ${quote(catalog)}`);
      if (schema !== undefined) {
        await connection.run(`create schema if not exists ${quote(schema)}`);
        await connection.run(`use ${quote(catalog!)}.${quote(schema)}`);
      }
      return await use(connection);
    } finally {
      connection.closeSync();
    }
  }

  #attach(catalog: string): Promise<unknown> {
    const name = catalog.toLowerCase();
    const known = this.#catalogs.get(name);
    if (known) return known;
    const attached = this.#with(undefined, undefined, (connection) =>
      connection.run(`attach ':memory:' as ${quote(catalog)}`),
    );
    this.#catalogs.set(name, attached);
    return attached;
  }
}

function resultOf(reader: DuckDBResultReader): SqlResult {
  const names = reader.columnNames();
  return {
    columns: reader.columnTypes().map((type, index) => ({ name: names[index]!, type: String(type) })),
    rows: reader.getRowsJson(),
    rowsChanged: reader.rowsChanged,
  };
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
