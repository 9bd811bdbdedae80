import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@windhover/core';
import { LocalExecutor } from '@windhover/executor-local';
import {
  createDagRun,
  FileLogStore,
  generateSecretKey,
  migrate,
  openPlatform,
  type Platform,
  SchedulerJob,
  startEmbeddedPostgres,
} from '@windhover/platform';
import { DagProcessor } from '@windhover/worker';

/** A platform with its own PostgreSQL and the Local executor, in this process. */
export interface Scene {
  readonly platform: Platform;
  /** Runs a DAG once to its end; answers what that took. */
  run(dagId: string): Promise<{ readonly seconds: number; readonly statements: number; readonly transactions: number }>;
  close(): Promise<void>;
}

const log: Logger = { debug() {}, info() {}, warning: console.error, error: console.error };

export async function createScene(parallelism: number): Promise<Scene> {
  const projectRoot = join(import.meta.dirname, '../project');
  const dataRoot = mkdtempSync(join(tmpdir(), 'windhover-bench-'));
  const postgres = await startEmbeddedPostgres({ dataRoot });
  const logStore = new FileLogStore({ folder: join(dataRoot, 'logs') });
  const platform = await openPlatform({ databaseUrl: postgres.url, secretKeys: [generateSecretKey()], logStore });
  await migrate(platform.database);
  const processor = new DagProcessor({ projectRoot, dagApi: platform.dagApi, log });
  processor.start();
  await processor.whenIdle();
  const executors = new Map([['local', new LocalExecutor({ parallelism })]]);
  const scheduler = new SchedulerJob({ ...platform, executors, projectRoot, log });
  await scheduler.start();
  const { database } = platform;
  return {
    platform,
    async run(dagId) {
      const [statements, transactions] = [database.statements, database.transactions];
      const begun = performance.now();
      const { id } = await createDagRun(database, { dagId, runType: 'manual' });
      const isOver = async () => {
        const { rows } = await database.query(
          "select 1 from dag_run where id = $1 and state in ('success', 'failed')",
          [id],
        );
        database.statements -= 1;
        return rows.length > 0;
      };
      while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, 20));
      return {
        seconds: (performance.now() - begun) / 1000,
        statements: database.statements - statements,
        transactions: database.transactions - transactions,
      };
    },
    async close() {
      await processor.stop();
      await scheduler.stop();
      await platform.close();
      await postgres.stop();
      rmSync(dataRoot, { recursive: true, force: true });
    },
  };
}
