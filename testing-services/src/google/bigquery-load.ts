import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quote, type SqlEngine, type SqlResult } from '../sql-engine.ts';
import type { GcsStandIn } from './gcs.ts';

/** The part of `configuration.load` that the stand-in understands. */
export interface LoadConfiguration {
  readonly sourceUris: readonly string[];
  readonly destinationTable: { readonly projectId: string; readonly datasetId: string; readonly tableId: string };
  readonly sourceFormat?: 'CSV' | 'NEWLINE_DELIMITED_JSON' | 'PARQUET';
  readonly writeDisposition?: 'WRITE_TRUNCATE' | 'WRITE_APPEND' | 'WRITE_EMPTY';
}

const READERS = { CSV: 'read_csv', NEWLINE_DELIMITED_JSON: 'read_json', PARQUET: 'read_parquet' } as const;

/** Loads objects of the stand-in for Cloud Storage into a table. A URI may end with one wildcard, as in BigQuery. */
export async function loadTable(engine: SqlEngine, gcs: GcsStandIn, load: LoadConfiguration): Promise<SqlResult> {
  const { projectId, datasetId, tableId } = load.destinationTable;
  const contents = load.sourceUris.flatMap((uri) => {
    const found = gcs.read(uri);
    if (found.length === 0) throw new Error(`Not found: URI ${uri}`);
    return found;
  });
  const folder = await mkdtemp(join(tmpdir(), 'bigquery-load-'));
  try {
    const files = await Promise.all(
      contents.map(async (content, index) => {
        const file = join(folder, String(index));
        await writeFile(file, content);
        return `'${file}'`;
      }),
    );
    const source = `${READERS[load.sourceFormat ?? 'CSV']}([${files.join(', ')}])`;
    const table = `${quote(datasetId)}.${quote(tableId)}`;
    await engine.createSchema(projectId, datasetId);
    const exists = await engine.hasTable(projectId, datasetId, tableId);
    const truncates = load.writeDisposition === 'WRITE_TRUNCATE';
    const sql =
      exists && !truncates
        ? `insert into ${table} by name select * from ${source}`
        : `create or replace table ${table} as select * from ${source}`;
    return await engine.run(sql, { catalog: projectId });
  } finally {
    await rm(folder, { recursive: true });
  }
}
