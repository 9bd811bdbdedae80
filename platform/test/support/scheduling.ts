import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dag, type Logger, serializeDag } from '@windhover/core';
import { until } from '@windhover/core/testing';
import {
  type DagRunJob,
  FileLogStore,
  generateSecretKey,
  migrate,
  openPlatform,
  type Platform,
  SchedulerJob,
} from '../../src/index.ts';
import type { SchedulerJobOptions } from '../../src/scheduler/scheduler-job.ts';
import { type Script, ScriptedExecutor } from './scripted-executor.ts';
import { createTestDatabase } from './test-postgres.ts';

export const quiet: Logger = { debug() {}, info() {}, warning() {}, error: (message) => console.error(message) };

export interface Scene {
  readonly platform: Platform;
  readonly url: string;
  /** Stores DAGs as if files had held them. */
  put(...dags: Dag[]): Promise<void>;
  /** A scheduler with a scripted executor, running. */
  schedule(options?: SceneScheduler): Promise<{ scheduler: SchedulerJob; executor: ScriptedExecutor }>;
  /** Another kind of job, running. */
  start<Job extends DagRunJob>(make: (options: SchedulerJobOptions) => Job, script?: Script): Promise<Job>;
  /** Waits until the database says so. */
  eventually<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T>;
  runState(runId: string): Promise<string>;
  /** By task: state and try. */
  taskStates(dagId: string, runId?: string): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export interface SceneScheduler extends Partial<SchedulerJobOptions> {
  readonly script?: Script;
  readonly parallelism?: number;
}

export async function createScene(): Promise<Scene> {
  const made = await createTestDatabase();
  const secretKeys = [generateSecretKey()];
  const logStore = new FileLogStore({ folder: mkdtempSync(join(tmpdir(), 'windhover-scene-')) });
  const open = () => openPlatform({ databaseUrl: made.url, secretKeys, logStore });
  const platform = await open();
  await migrate(platform.database);
  const jobs: DagRunJob[] = [];
  const platforms = [platform];
  const start = async <Job extends DagRunJob>(
    make: (options: SchedulerJobOptions) => Job,
    script?: Script,
    parallelism?: number,
  ) => {
    // Each has its own connections and its own writer, as another process would.
    const own = await open();
    platforms.push(own);
    const executor = new ScriptedExecutor(script, parallelism);
    const executors = new Map([['scripted', executor]]);
    const job = make({ ...own, executors, projectRoot: '/', log: quiet, leaseMs: 3_000 });
    jobs.push(job);
    await job.start();
    return { job, executor };
  };
  const scene: Scene = {
    platform,
    url: made.url,
    put: async (...dags) => {
      const file = `dags/${dags.map(({ dagId }) => dagId).join('-')}.ts`;
      await platform.dagApi.putDagFile({ file, codeHash: 'x', dags: dags.map(serializeDag), importErrors: [] });
    },
    schedule: async ({ script, parallelism, ...options } = {}) => {
      const { job, executor } = await start((given) => new SchedulerJob({ ...given, ...options }), script, parallelism);
      return { scheduler: job, executor };
    },
    start: async (make, script) => (await start(make, script)).job,
    eventually: async (what, look) => {
      let found: unknown;
      let isLooking = false;
      await until(
        () => {
          if (!isLooking) {
            isLooking = true;
            void look().then((answer) => {
              found = answer;
              isLooking = false;
            });
          }
          return Boolean(found);
        },
        what,
        20_000,
      );
      return found as never;
    },
    runState: async (runId) => {
      // Runs of two DAGs that were made in the same millisecond have the same id: the one that has not ended counts.
      const { rows } = await platform.database.query(
        'select state from dag_run where run_id = $1 order by ended_at desc nulls first limit 1',
        [runId],
      );
      return rows[0]?.state ?? 'missing';
    },
    taskStates: async (dagId, runId) => {
      const { rows } = await platform.database.query(
        `select t.task_id, t.state, t.try_number, t.attempt from task_instance t join dag_run r on r.id = t.dag_run_id
          where r.dag_id = $1 and ($2::text is null or r.run_id = $2)`,
        [dagId, runId ?? null],
      );
      return Object.fromEntries(rows.map((row) => [row.task_id, `${row.state} ${row.try_number}/${row.attempt}`]));
    },
    close: async () => {
      await Promise.all(jobs.map((job) => job.stop({ graceMs: 0 })));
      for (const each of platforms) await each.close();
      await made.drop();
    },
  };
  return scene;
}
