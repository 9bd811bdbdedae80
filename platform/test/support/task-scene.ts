import { dag, type SecretsBackend, type TaskHandOff, task } from '@windhover/core';
import { MemoryLogStore } from '@windhover/core/testing';
import { Lookup } from '../../src/connections/lookup.ts';
import { TaskApiServer } from '../../src/execution-api/task-api-server.ts';
import { Notifications } from '../../src/store/notifications.ts';
import { createRun, createTestStore, type TestStore } from './store.ts';

export const worker = { hostname: 'here', pid: 1, codeHash: 'x' };

export interface TaskSceneOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly secretsBackends?: readonly SecretsBackend[];
}

/** A store with a `TaskApiServer` and DAG runs of two tasks, `t` and `below`. */
export interface TaskScene extends TestStore {
  readonly taskApi: TaskApiServer;
  readonly logStore: MemoryLogStore;
  readonly notifications: Notifications;
  /** A new run whose task `t` was handed to an executor. */
  queuedTask(options?: object): Promise<QueuedTask>;
}

export interface QueuedTask {
  readonly handOff: TaskHandOff;
  readonly dagRunId: number;
  readonly runId: string;
  readonly ids: ReadonlyMap<string, number>;
}

export async function createTaskScene(options: TaskSceneOptions = {}): Promise<TaskScene> {
  const store = await createTestStore();
  const logStore = new MemoryLogStore();
  const { env = {}, secretsBackends = [] } = options;
  const lookup = new Lookup({ ...store, env, secretsBackends });
  const notifications = new Notifications(store.database.url);
  await notifications.start();
  const taskApi = new TaskApiServer({ ...store, logStore, lookup, notifications });
  const close = async () => {
    await notifications.close();
    await store.close();
  };
  const queuedTask: TaskScene['queuedTask'] = (taskOptions) => queueTask(store, taskOptions);
  return { ...store, taskApi, logStore, notifications, queuedTask, close };
}

async function queueTask(store: TestStore, options: object = {}): Promise<QueuedTask> {
  const made = dag('d', {}, () => {
    task('t', () => {}, options).before(task('below', () => {}));
  });
  const { ids, runId: dagRunId } = await createRun(store, made);
  await store.database.query(
    `insert into dag (dag_id, file, code_hash, version_id) select 'd', 'dags/d.ts', 'x', version_id from dag_run where id = $1
     on conflict do nothing`,
    [dagRunId],
  );
  const { rows } = await store.database.query('select run_id from dag_run where id = $1', [dagRunId]);
  const id = ids.get('t')!;
  await store.writer.submit({ id, type: 'queue', epoch: 0, jobId: 1, executor: 'local' });
  return { handOff: { taskInstanceId: String(id), epoch: 1 }, dagRunId, runId: rows[0].run_id, ids };
}
