import { type ConnectionFields, type Json, StaleEpochError } from '@windhover/core';
import { MemorySecretsBackend } from '@windhover/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getConnectionTestResult, requestConnectionTest } from '../src/connections/connection-tests.ts';
import { Lookup } from '../src/connections/lookup.ts';
import { DagVersions } from '../src/dags/dag-versions.ts';
import { TaskApiServer } from '../src/execution-api/task-api-server.ts';
import { claimConnectionTests } from '../src/store/connection-tests.ts';
import { connectionPurpose, putConnection } from '../src/store/connections.ts';
import { variablePurpose } from '../src/store/variables.ts';
import { ChangeWriter } from '../src/task-instances/change-writer.ts';
import { createTaskScene, type QueuedTask, type TaskScene, worker } from './support/task-scene.ts';

const hostOf = (host: string): ConnectionFields => ({ connType: 'acme', host });
let scene: TaskScene;

beforeAll(async () => {
  scene = await createTaskScene({ env: { WINDHOVER_CONN_FROM_ENV: 'acme://env' } });
  await storeConnection('stored', hostOf('store'));
  await storeConnection('from_env', hostOf('store'));
  await storeVariable('region', 'from the store');
});
afterAll(() => scene.close());

async function storeConnection(connId: string, fields: ConnectionFields) {
  const sealed = scene.cipher.encrypt(fields as unknown as Json, connectionPurpose(connId));
  await putConnection(scene.database, connId, fields.connType, sealed);
}

async function storeVariable(key: string, value: string) {
  const sealed = scene.cipher.encrypt(value, variablePurpose(key));
  await scene.database.query('insert into variable (key, value) values ($1, $2)', [key, sealed]);
}

async function startedTask(options?: object): Promise<QueuedTask> {
  const queued = await scene.queuedTask(options);
  await scene.taskApi.start(queued.handOff, worker);
  return queued;
}

/** Ends the task for its worker: the epoch rises. */
const overtake = ({ handOff }: QueuedTask) =>
  scene.writer.submit({ id: Number(handOff.taskInstanceId), type: 'mark', state: 'success' });

const query = async (sql: string, ...values: unknown[]) => (await scene.database.query(sql, values)).rows;

describe('connections and variables', () => {
  const backendWith = (host: string) =>
    new MemorySecretsBackend({
      connections: { from_env: hostOf(host), stored: hostOf(host) },
      variables: { region: `from ${host}`, empty: '' },
    });
  const lookupWith = (...secretsBackends: MemorySecretsBackend[]) =>
    new Lookup({ ...scene, env: { WINDHOVER_CONN_FROM_ENV: 'acme://env' }, secretsBackends });

  test('come from the environment before any backend', async () => {
    expect(await lookupWith(backendWith('vault')).connection('from_env')).toMatchObject({ host: 'env' });
  });

  test('come from the first backend that has them, before the store', async () => {
    const lookup = lookupWith(new MemorySecretsBackend(), backendWith('vault'), backendWith('second'));
    expect(await lookup.connection('stored')).toMatchObject({ host: 'vault' });
    expect(await lookup.variable('region')).toBe('from vault');
    expect(await lookup.variable('empty')).toBe('');
  });

  test('come from the store where no backend has them', async () => {
    const lookup = lookupWith(new MemorySecretsBackend());
    expect(await lookup.connection('stored')).toMatchObject({ host: 'store' });
    expect(await lookup.variable('region')).toBe('from the store');
    expect(await lookup.connection('nowhere')).toBeNull();
    expect(await lookup.variable('nowhere')).toBeNull();
  });

  test('are not taken from the store when a backend could not look', async () => {
    const broken = { getConnection: async () => Promise.reject(new Error('sealed')), getVariable: async () => null };
    const lookup = new Lookup({ ...scene, env: {}, secretsBackends: [broken] });
    await expect(lookup.connection('stored')).rejects.toThrow('sealed');
  });

  test('are given to a task that holds its epoch', async () => {
    const { handOff } = await startedTask();
    expect(await scene.taskApi.connection(handOff, 'stored')).toEqual(hostOf('store'));
    expect(await scene.taskApi.variable(handOff, 'region')).toBe('from the store');
  });
});

describe('a task that was overtaken', () => {
  test.each<[string, (task: QueuedTask) => Promise<unknown>]>([
    ['a connection', ({ handOff }) => scene.taskApi.connection(handOff, 'stored')],
    ['a connection from the environment', ({ handOff }) => scene.taskApi.connection(handOff, 'from_env')],
    ['a variable', ({ handOff }) => scene.taskApi.variable(handOff, 'region')],
    ['an XCom', ({ handOff }) => scene.taskApi.getXCom(handOff, { taskId: 't', key: 'k', mapIndex: -1 })],
    ['its steps', ({ handOff }) => scene.taskApi.getSteps(handOff)],
    ['the states of runs', ({ handOff }) => scene.taskApi.runStates(handOff, { dagId: 'd' })],
    ['a heartbeat', ({ handOff }) => scene.taskApi.heartbeat(handOff)],
  ])('gets no answer to %s', async (_what, ask) => {
    const task = await startedTask();
    await ask(task);
    await overtake(task);
    const error = await ask(task).catch((thrown: unknown) => thrown);
    expect(StaleEpochError.isInstance(error)).toBe(true);
  });

  test('writes nothing', async () => {
    const task = await startedTask();
    await overtake(task);
    const { handOff, dagRunId } = task;
    const value = { type: 'value', value: 1 } as const;
    for (const write of [
      () => scene.taskApi.putXCom(handOff, 'k', value),
      () => scene.taskApi.putStep(handOff, { hop: 0, sequence: 0, name: 's' }),
      () => scene.taskApi.skipDownstream(handOff, ['below']),
      () => scene.taskApi.triggerDagRun(handOff, 'd', { conf: {}, logicalDate: null, dedupeKey: 'late' }),
      () => scene.taskApi.finish(handOff, { state: 'failed', error: { name: 'Error', message: 'late' } }),
    ])
      await expect(write()).rejects.toThrow(StaleEpochError);
    expect(await query('select 1 from xcom where dag_run_id = $1', dagRunId)).toEqual([]);
    expect(await query('select 1 from task_step where task_instance_id = $1', handOff.taskInstanceId)).toEqual([]);
    expect(await query("select 1 from dag_run where dedupe_key = 'late'")).toEqual([]);
    expect(
      await query("select state from task_instance where dag_run_id = $1 and task_id = 'below'", dagRunId),
    ).toEqual([{ state: 'none' }]);
  });

  test('leaves its last lines in the log of its own attempt', async () => {
    const task = await startedTask({ retries: 1, retryDelay: '0s' });
    const { handOff, runId } = task;
    const id = Number(handOff.taskInstanceId);
    const line = (message: string, sequence: number) => ({
      writer: 'worker:1',
      sequence,
      records: [{ at: '2026-01-01T00:00:00.000Z', level: 'info' as const, message }],
    });
    await scene.taskApi.log(handOff, [line('in time', 0)]);
    await scene.writer.submit({ id, type: 'lose', epoch: 1, reason: 'silence' });
    await scene.writer.submit({ id, type: 'queue', epoch: 2, jobId: 1, executor: 'local' });
    // A process that has never heard of the hand-off finds its attempt too.
    const other = new TaskApiServer({ ...scene, lookup: new Lookup({ ...scene, env: {}, secretsBackends: [] }) });
    await scene.taskApi.log(handOff, [line('late', 1)]);
    await other.log(handOff, [line('later', 2)]);
    const stream = { type: 'task', dagId: 'd', runId, taskId: 't', mapIndex: -1 } as const;
    const messages = async (attempt: number) =>
      (await scene.logStore.read({ ...stream, attempt })).records.map(({ message }) => message);
    expect(await messages(1)).toEqual(['in time', 'late', 'later']);
    expect(await messages(2)).toEqual([]);
  });
});

describe('a running task', () => {
  test('is told where it is and what it is', async () => {
    const { handOff, runId } = await scene.queuedTask();
    const started = await scene.taskApi.start(handOff, worker);
    expect(started).toMatchObject({
      token: '',
      key: { dagId: 'd', runId, taskId: 't', mapIndex: -1 },
      dagFile: 'dags/d.ts',
      tryNumber: 1,
      attempt: 1,
      runType: 'manual',
      resume: null,
      steps: [],
    });
  });

  test('reads what it and others of its run have pushed, and what another run has', async () => {
    const [first, second] = [await startedTask(), await startedTask()];
    await scene.taskApi.putXCom(first.handOff, 'k', { type: 'value', value: { rows: 3 } });
    await scene.taskApi.putXCom(second.handOff, 'k', { type: 'reference', reference: 's3://x' });
    await scene.taskApi.putXCom(second.handOff, 'nothing', { type: 'value', value: null });
    const place = { taskId: 't', key: 'k', mapIndex: -1 };
    expect(await scene.taskApi.getXCom(first.handOff, place)).toEqual({ type: 'value', value: { rows: 3 } });
    expect(await scene.taskApi.getXCom(first.handOff, { ...place, runId: second.runId })).toEqual({
      type: 'reference',
      reference: 's3://x',
    });
    expect(await scene.taskApi.getXCom(second.handOff, { ...place, key: 'nothing' })).toEqual({
      type: 'value',
      value: null,
    });
    expect(await scene.taskApi.getXCom(first.handOff, { ...place, key: 'other' })).toEqual({ type: 'none' });
    expect(await scene.taskApi.getXCom(first.handOff, { ...place, dagId: 'no such' })).toEqual({ type: 'none' });
  });

  test('skips tasks below it that have not begun', async () => {
    const { handOff, dagRunId } = await startedTask();
    await scene.taskApi.skipDownstream(handOff, ['below', 'no such']);
    expect(
      await query("select state from task_instance where dag_run_id = $1 and task_id = 'below'", dagRunId),
    ).toEqual([{ state: 'skipped' }]);
  });

  test('hears in a heartbeat that waits that it is to stop', async () => {
    const { handOff } = await startedTask();
    const heartbeat = scene.taskApi.heartbeat(handOff, 60_000);
    await scene.writer.submit({ id: Number(handOff.taskInstanceId), type: 'stop' });
    expect(await heartbeat).toMatchObject({ action: 'stop', reason: 'stop' });
  });

  test('hears in a heartbeat that waits of a stop that another process has committed', async () => {
    const { handOff } = await startedTask();
    const heartbeat = scene.taskApi.heartbeat(handOff, 60_000);
    const elsewhere = new ChangeWriter({ ...scene, versions: new DagVersions() });
    await elsewhere.submit({ id: Number(handOff.taskInstanceId), type: 'stop' });
    expect(await heartbeat).toMatchObject({ action: 'stop', reason: 'stop' });
  });

  test('hears in a heartbeat that waits that it was overtaken', async () => {
    const task = await startedTask();
    const heartbeat = scene.taskApi.heartbeat(task.handOff, 60_000).catch((error: unknown) => error);
    await overtake(task);
    expect(StaleEpochError.isInstance(await heartbeat)).toBe(true);
  });

  test('does not keep a heartbeat waiting that nobody listens to', async () => {
    const { handOff } = await startedTask();
    const gone = new AbortController();
    const heartbeat = scene.taskApi.heartbeat(handOff, 60_000, gone.signal);
    gone.abort();
    expect(await heartbeat).toEqual({ action: 'continue' });
  });

  test('costs one statement for an XCom, a step or a connection of the environment, and none for its log', async () => {
    const { handOff } = await startedTask();
    const cost = async (call: () => Promise<unknown>) => {
      const before = scene.database.statements;
      await call();
      return scene.database.statements - before;
    };
    expect(await cost(() => scene.taskApi.putXCom(handOff, 'k', { type: 'value', value: 1 }))).toBe(1);
    expect(await cost(() => scene.taskApi.getXCom(handOff, { taskId: 't', key: 'k', mapIndex: -1 }))).toBe(1);
    expect(await cost(() => scene.taskApi.putStep(handOff, { hop: 0, sequence: 0, name: 's' }))).toBe(1);
    expect(await cost(() => scene.taskApi.connection(handOff, 'from_env'))).toBe(1);
    expect(await cost(() => scene.taskApi.log(handOff, []))).toBe(0);
  });
});

describe('a callback', () => {
  const error = { name: 'Error', message: 'it broke' };
  /** A row of the outbox, as a transition writes it. */
  async function callback(task: QueuedTask, name: string, options: { ofDag?: boolean; facts?: object } = {}) {
    const [row] = await query(
      'insert into callback_outbox (dag_run_id, task_instance_id, callback, facts) values ($1, $2, $3, $4) returning id',
      task.dagRunId,
      options.ofDag ? null : task.handOff.taskInstanceId,
      name,
      JSON.stringify(options.facts ?? { state: 'failed', tryNumber: 2, attempt: 3, error }),
    );
    return String(row.id);
  }
  const rowOf = async (id: string) =>
    (await query('select state, error, ended_at from callback_outbox where id = $1', id))[0];

  test('of a task is begun once, and told what happened', async () => {
    const task = await startedTask();
    const id = await callback(task, 'onFailure');
    const answers = await Promise.all([scene.taskApi.startCallback(id), scene.taskApi.startCallback(id)]);
    expect(answers.filter((answer) => answer === null)).toHaveLength(1);
    expect(answers.find((answer) => answer !== null)).toMatchObject({
      dagFile: 'dags/d.ts',
      callback: { type: 'task', name: 'onFailure', key: { dagId: 'd', runId: task.runId, taskId: 't', mapIndex: -1 } },
      state: 'failed',
      error,
      facts: { tryNumber: 2, attempt: 3, runType: 'manual' },
    });
    await scene.taskApi.finishCallback(id, null);
    expect(await rowOf(id)).toMatchObject({ state: 'success', error: null, ended_at: expect.any(Date) });
    expect(await scene.taskApi.startCallback(id)).toBeNull();
  });

  test('of a DAG, and one of a deadline, know what they are', async () => {
    const task = await startedTask();
    const ofDag = await callback(task, 'onSuccess', { ofDag: true, facts: { state: 'success' } });
    const deadline = await callback(task, 'deadline:1', { ofDag: true, facts: { state: 'running', reason: 'late' } });
    const { runId } = task;
    expect((await scene.taskApi.startCallback(ofDag))?.callback).toEqual({
      type: 'dag',
      name: 'onSuccess',
      dagId: 'd',
      runId,
    });
    expect(await scene.taskApi.startCallback(deadline)).toMatchObject({
      callback: { type: 'deadline', position: 1, dagId: 'd', runId },
      state: 'running',
      error: { message: 'late' },
    });
  });

  test('that fails leaves its error', async () => {
    const id = await callback(await startedTask(), 'onRetry');
    await scene.taskApi.startCallback(id);
    await scene.taskApi.finishCallback(id, error);
    await scene.taskApi.finishCallback(id, null);
    expect(await rowOf(id)).toMatchObject({ state: 'failed', error });
  });

  test('has connections, XComs of its run and a log of its own, but only while it runs', async () => {
    const task = await startedTask();
    await scene.taskApi.putXCom(task.handOff, 'k', { type: 'value', value: 7 });
    const handOff = { callbackId: await callback(task, 'onSuccess') };
    const connection = () => scene.taskApi.connection(handOff, 'stored');
    const xcom = () => scene.taskApi.getXCom(handOff, { taskId: 't', key: 'k', mapIndex: -1 });
    await expect(connection()).rejects.toThrow(StaleEpochError);
    await scene.taskApi.startCallback(handOff.callbackId);
    expect(await connection()).toEqual(hostOf('store'));
    expect(await xcom()).toEqual({ type: 'value', value: 7 });
    expect(await scene.taskApi.runStates(handOff, { dagId: 'd', runIds: [task.runId], taskIds: ['t'] })).toMatchObject([
      { runId: task.runId, tasks: { t: 'running' } },
    ]);
    const records = [{ at: '2026-01-01T00:00:00.000Z', level: 'info' as const, message: 'told Slack' }];
    await scene.taskApi.log(handOff, [{ writer: 'callback', sequence: 0, records }]);
    expect((await scene.logStore.read({ type: 'callback', ...handOff })).records).toEqual(records);
    await scene.taskApi.finishCallback(handOff.callbackId, null);
    await expect(connection()).rejects.toThrow(StaleEpochError);
    await expect(xcom()).rejects.toThrow(StaleEpochError);
  });
});

describe('a connection test', () => {
  const fields = { connType: 'acme', host: 'h', password: 'hunter2' };
  const store = () => ({ ...scene, connectionTypes: new Map([['acme', 'acme#AcmeHook']]) });

  test('hands the fields and the hook to a worker, and its result to whoever asked', async () => {
    const { testId } = await requestConnectionTest(store(), 'my_acme', fields);
    expect(await getConnectionTestResult(scene.database, testId)).toBeNull();
    expect(await claimConnectionTests(scene.database, 10)).toContain(testId);
    expect(await claimConnectionTests(scene.database, 10)).toEqual([]);
    const expected = { connId: 'my_acme', fields, hook: 'acme#AcmeHook' };
    expect(await scene.taskApi.startConnectionTest(testId)).toEqual(expected);
    // The answer may have got lost.
    expect(await scene.taskApi.startConnectionTest(testId)).toEqual(expected);
    const result = { isSuccess: false, message: 'no route' };
    await scene.taskApi.finishConnectionTest(testId, result);
    await scene.taskApi.finishConnectionTest(testId, { isSuccess: true, message: 'late' });
    expect(await getConnectionTestResult(scene.database, testId)).toEqual(result);
  });

  test('keeps its fields encrypted, and forgets them when it has ended', async () => {
    const { testId } = await requestConnectionTest(store(), 'my_acme', fields);
    const stored = async () => (await query('select fields from connection_test where id = $1', testId))[0].fields;
    expect((await stored()).toString('latin1')).not.toContain('hunter2');
    await scene.taskApi.finishConnectionTest(testId, { isSuccess: true, message: 'ok' });
    expect(await stored()).toHaveLength(0);
    await expect(scene.taskApi.startConnectionTest(testId)).rejects.toMatchObject({ code: 'E_CONNECTION_TEST' });
  });

  test('of a type that no provider declares is refused with the types that there are', async () => {
    await expect(requestConnectionTest(store(), 'x', { connType: 'acmee' })).rejects.toMatchObject({
      code: 'E_CONNECTION_TYPE',
      connType: 'acmee',
      knownTypes: ['acme'],
    });
  });

  test('is gone after an hour', async () => {
    const { testId } = await requestConnectionTest(store(), 'my_acme', fields);
    await query("update connection_test set created_at = now() - interval '2 hours' where id = $1", testId);
    await requestConnectionTest(store(), 'my_acme', fields);
    await expect(getConnectionTestResult(scene.database, testId)).rejects.toMatchObject({ code: 'E_CONNECTION_TEST' });
  });
});
