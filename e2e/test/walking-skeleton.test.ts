import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@windhover/core/testing';
import { LocalExecutor } from '@windhover/executor-local';
import {
  createDagRun,
  type Database,
  FileLogStore,
  generateSecretKey,
  migrate,
  openPlatform,
  type Platform,
  SchedulerJob,
} from '@windhover/platform';
import { DagProcessor } from '@windhover/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../platform/test/support/test-postgres.ts';

// DAG file → version → run → scheduler → Local executor → worker process → result, with everything real.
const projectRoot = join(import.meta.dirname, 'project');
const quiet = {
  debug() {},
  info() {},
  warning() {},
  error(message: string) {
    console.error(message);
  },
};
const logs = mkdtempSync(join(tmpdir(), 'windhover-e2e-'));
let made: TestDatabase;
let platform: Platform;
let database: Database;
let scheduler: SchedulerJob;
let processor: DagProcessor;

beforeAll(async () => {
  made = await createTestDatabase();
  platform = await openPlatform({
    databaseUrl: made.url,
    secretKeys: [generateSecretKey()],
    logStore: new FileLogStore({ folder: logs }),
  });
  database = platform.database;
  await migrate(database);
  const executors = new Map([['local', new LocalExecutor({ parallelism: 2 })]]);
  scheduler = new SchedulerJob({ ...platform, executors, projectRoot, log: quiet });
  processor = new DagProcessor({ projectRoot, dagApi: platform.dagApi, log: quiet });
  await processor.start();
  await processor.whenIdle();
  await scheduler.start();
}, 60_000);

afterAll(async () => {
  await processor.stop();
  await scheduler.stop();
  await platform.close();
  await made.drop();
  rmSync(logs, { recursive: true });
}, 60_000);

async function runToEnd(dagId: string, conf = {}) {
  const { id } = await createDagRun(database, { dagId, runType: 'manual', conf });
  let state = '';
  const look = async () => {
    const { rows } = await database.query('select state from dag_run where id = $1', [id]);
    state = rows[0].state;
  };
  await until(
    () => {
      void look();
      return state === 'success' || state === 'failed';
    },
    `the run of ${dagId} ends`,
    30_000,
  );
  const { rows } = await database.query(
    'select task_id, state, try_number, error from task_instance where dag_run_id = $1',
    [id],
  );
  const xcoms = await database.query('select task_id, value from xcom where dag_run_id = $1', [id]);
  return {
    state,
    tasks: Object.fromEntries(rows.map((row) => [row.task_id, `${row.state} ${row.try_number}`])),
    errors: Object.fromEntries(rows.filter((row) => row.error).map((row) => [row.task_id, row.error.message])),
    results: Object.fromEntries(xcoms.rows.map((row) => [row.task_id, row.value])),
  };
}

test('a DAG run goes through its tasks with results, retries, a failure and a rule that mends it', async () => {
  const run = await runToEnd('pipeline', { factor: 10 });
  expect(run).toMatchObject({
    state: 'success',
    tasks: { extract: 'success 1', sum: 'success 1', flaky: 'success 3', broken: 'failed 1', clean_up: 'success 1' },
    results: { extract: [1, 2, 3], sum: 60, flaky: 'third time lucky', clean_up: 'cleaned' },
    errors: { broken: 'for ever' },
  });
}, 60_000);

test('a worker that dies in the middle of a task costs a try at once, and the run fails with the reason', async () => {
  const run = await runToEnd('failing');
  expect(run).toMatchObject({ state: 'failed', tasks: { dies: 'failed 2', never: 'upstream_failed 1' } });
  expect(run.errors.dies).toMatch(/The worker was lost: .*SIGKILL/);
}, 60_000);

test('two hundred tasks of one run each end once', async () => {
  const before = database.statements;
  const run = await runToEnd('wide');
  console.log(`statements per no-op task: ${((database.statements - before) / 200).toFixed(1)}`);
  expect(run.state).toBe('success');
  expect(new Set(Object.values(run.tasks))).toEqual(new Set(['success 1']));
  expect(Object.keys(run.results)).toHaveLength(200);
  const { rows } = await database.query('select count(*)::int as n from active_task');
  expect(rows[0].n).toBe(0);
}, 60_000);
