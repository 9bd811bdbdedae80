import { createHash } from 'node:crypto';
import {
  canonicalize,
  type DagApi,
  type ParsedDagFile,
  type PutDagFileAnswer,
  type SerializedDag,
} from '@windhover/core';
import type { Database, Queryable } from '../store/database.ts';
import { checkSchedule } from '../timetables/check-schedule.ts';

/** What the dag-processor found, kept: DAGs by version, and import errors by file. */
export class DagFileStore implements DagApi {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async putDagFile(file: ParsedDagFile): Promise<PutDagFileAnswer> {
    return this.#database.transaction(async (client) => {
      const versionHashes: Record<string, string> = {};
      const importErrors = [...file.importErrors];
      for (const dag of file.dags) {
        const problem = scheduleProblem(dag);
        if (problem === null) versionHashes[dag.dagId] = await putDag(client, file, dag);
        else importErrors.push({ file: file.file, line: null, message: problem, stack: null });
      }
      await client.query('update dag set is_active = false where file = $1 and not dag_id = any($2)', [
        file.file,
        Object.keys(versionHashes),
      ]);
      await client.query('delete from import_error where file = $1', [file.file]);
      for (const { line, message, stack, file: place } of importErrors) {
        const text = place === file.file ? message : `${place}: ${message}`;
        await client.query('insert into import_error (file, line, message, stack) values ($1, $2, $3, $4)', [
          file.file,
          line,
          text,
          stack,
        ]);
      }
      await client.query("select pg_notify('windhover_dag', '')");
      return { versionHashes };
    });
  }

  async putDagFileList(files: readonly string[]): Promise<void> {
    await this.#database.query('update dag set is_active = false where is_active and not file = any($1)', [files]);
    await this.#database.query('delete from import_error where not file = any($1)', [files]);
  }
}

/** A version is known by its content: the same DAG parsed again is the same version. */
async function putDag(client: Queryable, { file, codeHash }: ParsedDagFile, dag: SerializedDag): Promise<string> {
  const hash = createHash('sha256').update(canonicalize(dag)).digest('hex');
  const { rows } = await client.query<{ id: number }>(
    `insert into dag_version (dag_id, hash, serialized) values ($1, $2, $3)
     on conflict (dag_id, hash) do update set hash = excluded.hash returning id`,
    [dag.dagId, hash, JSON.stringify(dag)],
  );
  await client.query(
    `insert into dag (dag_id, file, code_hash, version_id, is_paused, max_active_runs, next_run_at) values ($1, $2, $3, $4, $5, $6, now())
     on conflict (dag_id) do update set file = $2, code_hash = $3, version_id = $4, max_active_runs = $6, is_active = true, updated_at = now(),
       -- Its schedule may be another one now.
       next_run_at = case when dag.version_id = $4 and dag.is_active then dag.next_run_at else now() end`,
    [dag.dagId, file, codeHash, rows[0]!.id, dag.isPausedUponCreation, maxActiveRuns(dag)],
  );
  return hash;
}

/** A DAG that runs again and again has one run at a time. */
function maxActiveRuns(dag: SerializedDag): number {
  return dag.schedule.type === 'continuous' ? 1 : dag.maxActiveRuns;
}

/** The other DAGs of the file are kept. */
function scheduleProblem(dag: SerializedDag): string | null {
  try {
    checkSchedule(dag.schedule);
    return null;
  } catch (error) {
    return `DAG "${dag.dagId}": ${(error as Error).message}`;
  }
}
