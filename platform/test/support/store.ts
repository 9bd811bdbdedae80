import { type Dag, serializeDag } from '@windhover/core';
import { Keyring } from '../../src/crypto/keyring.ts';
import { generateSecretKey } from '../../src/crypto/secret-keys.ts';
import { DagVersions } from '../../src/dags/dag-versions.ts';
import { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { insertTaskInstances } from '../../src/store/task-instances.ts';
import { ChangeWriter } from '../../src/task-instances/change-writer.ts';
import { createTestDatabase, type TestDatabase } from './test-postgres.ts';

/** A migrated database of its own with a writer, for one test file. */
export interface TestStore {
  readonly database: Database;
  readonly cipher: Keyring;
  readonly versions: DagVersions;
  readonly writer: ChangeWriter;
  close(): Promise<void>;
}

export async function createTestStore(): Promise<TestStore> {
  const made: TestDatabase = await createTestDatabase();
  const database = new Database({ url: made.url });
  await migrate(database);
  const cipher = new Keyring([generateSecretKey()]);
  const versions = new DagVersions();
  const writer = new ChangeWriter({ database, cipher, versions });
  const close = async () => {
    await database.close();
    await made.drop();
  };
  return { database, cipher, versions, writer, close };
}

let runs = 0;

/** A run of a DAG with all its task instances; answers their ids by task. */
export async function createRun(store: TestStore, dag: Dag): Promise<{ runId: number; ids: Map<string, number> }> {
  const { database } = store;
  const serialized = serializeDag(dag);
  const version = await database.query<{ id: number }>(
    'insert into dag_version (dag_id, hash, serialized) values ($1, $2, $3) returning id',
    [dag.dagId, `hash-${++runs}`, JSON.stringify(serialized)],
  );
  const logicalDate = new Date(Date.UTC(2026, 0, 1) + runs * 1000);
  const run = await database.query<{ id: number }>(
    `insert into dag_run (dag_id, run_id, run_type, logical_date, interval_start, interval_end, version_id)
     values ($1, $2, 'manual', $3, $3, $3, $4) returning id`,
    [dag.dagId, `manual__${logicalDate.toISOString()}`, logicalDate, version.rows[0]!.id],
  );
  const runId = run.rows[0]!.id;
  await insertTaskInstances(database, runId, serialized.tasks);
  const { rows } = await database.query<{ id: number; task_id: string }>(
    'select id, task_id from task_instance where dag_run_id = $1',
    [runId],
  );
  return { runId, ids: new Map(rows.map(({ id, task_id }) => [task_id, id])) };
}
