import { StaleEpochError, type TaskHandOff, type TaskWorkload, type TriggerApi, taskWorkloadId } from '@windhover/core';
import { until } from '@windhover/core/testing';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
// The real client, so that both ends of the wire are tested; only this test knows both.
import { connectDagApi } from '../../worker/src/http/connect-dag-api.ts';
import { connectTaskApi, type HttpTaskApi } from '../../worker/src/http/connect-task-api.ts';
import { connectTriggerApi } from '../../worker/src/http/connect-trigger-api.ts';
import { ExecutionApiClient } from '../../worker/src/http/execution-api-client.ts';
import { generateSecretKey } from '../src/crypto/secret-keys.ts';
import { DagFileStore } from '../src/dags/dag-file-store.ts';
import { executionRoutes } from '../src/execution-api/execution-routes.ts';
import { startScope, type TokenScope } from '../src/execution-api/token-scope.ts';
import { Tokens } from '../src/execution-api/tokens.ts';
import { createTaskScene, type QueuedTask, type TaskScene, worker } from './support/task-scene.ts';

const secretKey = generateSecretKey();
const tokens = new Tokens([secretKey]);
const logged: string[] = [];
const log = { debug() {}, info() {}, warning() {}, error: (message: string) => void logged.push(message) };
/** A triggerer's long polls that wait now. */
const waitingSyncs = new Set<AbortSignal>();
const triggerApi = {
  sync: (_request: unknown, signal: AbortSignal) =>
    new Promise((resolve) => {
      waitingSyncs.add(signal);
      signal.addEventListener('abort', () => {
        waitingSyncs.delete(signal);
        resolve({ claimed: [], dropped: [], now: '', leaseMs: 0 });
      });
    }),
  submit: async (events: readonly unknown[]) => events.map(() => 'applied'),
  variable: async () => Promise.reject(new TypeError('a secret of the platform')),
} as unknown as TriggerApi;

let scene: TaskScene;
let app: FastifyInstance;
let url: string;
let client: ExecutionApiClient;
let taskApi: HttpTaskApi;

async function serve(with_: { tokens: Tokens }): Promise<{ app: FastifyInstance; url: string }> {
  const served = fastify();
  await served.register(executionRoutes, {
    taskApi: scene.taskApi,
    triggerApi,
    dagApi: new DagFileStore(scene.database),
    log,
    ...with_,
  });
  return { app: served, url: await served.listen({ host: '127.0.0.1', port: 0 }) };
}

beforeAll(async () => {
  scene = await createTaskScene({ env: { WINDHOVER_CONN_ACME: 'acme://h' } });
  ({ app, url } = await serve({ tokens }));
  client = new ExecutionApiClient(url);
  taskApi = connectTaskApi(client);
});
afterAll(async () => {
  await client.close();
  await app.close();
  await scene.close();
});

async function workloadOf({ handOff, runId }: QueuedTask, issuer = tokens): Promise<TaskWorkload> {
  return {
    type: 'task',
    id: taskWorkloadId(handOff.taskInstanceId, handOff.epoch),
    token: await issuer.issue(startScope(handOff)),
    priority: 1,
    queue: 'default',
    executorConfig: {},
    ...handOff,
    key: { dagId: 'd', runId, taskId: 't', mapIndex: -1 },
    dagFile: 'dags/d.ts',
  };
}

async function admittedTask(): Promise<QueuedTask> {
  const queued = await scene.queuedTask();
  taskApi.admit(await workloadOf(queued));
  return queued;
}

/** One bare request: what is on the wire. */
async function post(path: string, body: unknown, token?: string) {
  const answer = await fetch(`${url}/execution/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const problem = (await answer.json()) as any;
  return { contentType: answer.headers.get('content-type'), ...problem, status: answer.status };
}

const issue = (scope: TokenScope, expiresInMs?: number) =>
  tokens.issue(scope, expiresInMs === undefined ? {} : { expiresInMs });
const executionToken = (handOff: TaskHandOff) => issue({ type: 'execution', ...handOff });

describe('a task over HTTP', () => {
  test('lives its whole life', async () => {
    const { handOff, dagRunId, runId } = await admittedTask();
    const started = await taskApi.start(handOff, worker);
    expect(started).toMatchObject({ key: { dagId: 'd', runId, taskId: 't' }, dagFile: 'dags/d.ts', attempt: 1 });
    expect(await tokens.verify(started.token)).toEqual({ type: 'execution', ...handOff });
    expect(await taskApi.heartbeat(handOff)).toMatchObject({ action: 'continue', token: expect.any(String) });
    await taskApi.putStep(handOff, { hop: 0, sequence: 0, name: 'submit', value: { job: 'j-1' } });
    expect(await taskApi.getSteps(handOff)).toEqual([{ hop: 0, sequence: 0, name: 'submit', value: { job: 'j-1' } }]);
    await taskApi.putXCom(handOff, 'k', { type: 'value', value: [1, 2] });
    const place = { taskId: 't', key: 'k', mapIndex: -1 };
    expect(await taskApi.getXCom(handOff, place)).toEqual({ type: 'value', value: [1, 2] });
    expect(await taskApi.connection(handOff, 'acme')).toEqual({ connType: 'acme', host: 'h' });
    expect(await taskApi.variable(handOff, 'none')).toBeNull();
    const records = [{ at: '2026-01-01T00:00:00.000Z', level: 'info' as const, message: 'ümläut' }];
    await taskApi.log(handOff, [{ writer: 'worker:1', sequence: 0, records }]);
    await taskApi.finish(handOff, { state: 'success', result: { type: 'value', value: 42 } });
    const { rows } = await scene.database.query(
      `select t.state, x.value from task_instance t join xcom x on x.dag_run_id = t.dag_run_id and x.key = 'return_value'
        where t.id = $1 and x.dag_run_id = $2`,
      [handOff.taskInstanceId, dagRunId],
    );
    expect(rows).toEqual([{ state: 'success', value: 42 }]);
    const stream = { type: 'task', dagId: 'd', runId, taskId: 't', mapIndex: -1, attempt: 1 } as const;
    expect((await scene.logStore.read(stream)).records).toEqual(records);
  });

  test('that was overtaken gets a StaleEpochError with its facts', async () => {
    const { handOff } = await admittedTask();
    await taskApi.start(handOff, worker);
    await scene.writer.submit({ id: Number(handOff.taskInstanceId), type: 'mark', state: 'success' });
    const error = await taskApi.connection(handOff, 'acme').catch((thrown: unknown) => thrown);
    expect(StaleEpochError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ subject: `Task instance ${handOff.taskInstanceId}`, epoch: 1, isRetryable: false });
    expect(await post('task/heartbeat', [handOff], await executionToken(handOff))).toMatchObject({
      status: 409,
      code: 'E_STALE_EPOCH',
    });
  });

  test('is told to stop while its heartbeat waits', async () => {
    const { handOff } = await admittedTask();
    await taskApi.start(handOff, worker);
    const heartbeat = taskApi.heartbeat(handOff, 60_000);
    await scene.writer.submit({ id: Number(handOff.taskInstanceId), type: 'stop' });
    expect(await heartbeat).toMatchObject({ action: 'stop', reason: 'stop' });
  });

  test('whose token ran out under code that blocked gets another by its start token', async () => {
    const queued = await scene.queuedTask();
    const { handOff } = queued;
    // Every execution token of this server is too old when it is issued.
    const shortLived = new Tokens([secretKey]);
    let lifeMs = -1000;
    shortLived.issue = (scope) => tokens.issue(scope, scope.type === 'execution' ? { expiresInMs: lifeMs } : {});
    const other = await serve({ tokens: shortLived });
    const itsClient = new ExecutionApiClient(other.url);
    const api = connectTaskApi(itsClient);
    api.admit(await workloadOf(queued));
    await api.start(handOff, worker);
    await expect(api.variable(handOff, 'none')).rejects.toMatchObject({ code: 'E_TOKEN', reason: 'expired' });
    lifeMs = 60_000;
    expect(await api.variable(handOff, 'none')).toBeNull();
    await itsClient.close();
    await other.app.close();
  });

  test('may have a callback and a connection test beside it', async () => {
    const { handOff, dagRunId } = await scene.queuedTask();
    const { rows } = await scene.database.query(
      `insert into callback_outbox (dag_run_id, task_instance_id, callback, facts) values ($1, $2, 'onSuccess', '{"state": "success"}') returning id`,
      [dagRunId, handOff.taskInstanceId],
    );
    const callbackId = String(rows[0].id);
    const base = { id: 'w', priority: 1, queue: 'default', executorConfig: {} };
    taskApi.admit({
      ...base,
      type: 'callback',
      callbackId,
      dagFile: 'dags/d.ts',
      token: await issue(startScope({ callbackId })),
    });
    expect(await taskApi.startCallback(callbackId)).toMatchObject({ callback: { type: 'task', name: 'onSuccess' } });
    expect(await taskApi.connection({ callbackId }, 'acme')).toEqual({ connType: 'acme', host: 'h' });
    await taskApi.finishCallback(callbackId, null);
    taskApi.admit({
      ...base,
      type: 'testConnection',
      testId: '999',
      token: await issue(startScope({ testId: '999' })),
    });
    await expect(taskApi.startConnectionTest('999')).rejects.toMatchObject({ code: 'E_CONNECTION_TEST' });
  });
});

describe('a call is refused', () => {
  const [own, other] = [
    { taskInstanceId: '71', epoch: 3 },
    { taskInstanceId: '72', epoch: 3 },
  ];

  test('without a token', async () => {
    const answer = await post('task/connection', [own, 'acme']);
    expect(answer).toMatchObject({ status: 401, code: 'E_TOKEN', reason: 'missing' });
    expect(answer.contentType).toContain('application/problem+json');
  });

  test('with the token of another platform', async () => {
    const token = await new Tokens([generateSecretKey()]).issue({ type: 'execution', ...own });
    expect(await post('task/connection', [own, 'acme'], token)).toMatchObject({ status: 401, reason: 'signature' });
  });

  test('with a token that has expired', async () => {
    const token = await issue({ type: 'execution', ...own }, -1000);
    expect(await post('task/connection', [own, 'acme'], token)).toMatchObject({ status: 401, reason: 'expired' });
  });

  test.each<[string, string, unknown[], TokenScope, string, string]>([
    ['of another task instance', 'task/connection', [own, 'acme'], { type: 'execution', ...other }, '71:3', '72:3'],
    ['of an older epoch', 'task/connection', [own, 'acme'], { type: 'execution', ...own, epoch: 2 }, '71:3', '71:2'],
    ['to start, for anything else', 'task/connection', [own, 'acme'], startScope(own), 'while it runs', 'to start'],
    [
      'of a running task, to start it again',
      'task/start',
      [own, worker],
      { type: 'execution', ...own },
      'to start',
      'while',
    ],
    ['to start another epoch', 'task/start', [own, worker], startScope({ ...own, epoch: 2 }), '71:3', '71:2'],
    [
      'of another callback',
      'task/variable',
      [{ callbackId: '5' }, 'x'],
      { type: 'callback', callbackId: '6' },
      ':5',
      ':6',
    ],
    ['of a task, for its callback', 'task/finishCallback', ['5', null], { type: 'execution', ...own }, ':5', '71:3'],
    ['of another test', 'task/startConnectionTest', ['5'], startScope({ testId: '6' }), ':5', ':6'],
    ['of a triggerer, by a task', 'task/log', [own, []], { type: 'trigger', queues: [] }, '71:3', 'triggers'],
    ['of a task, by a triggerer', 'trigger/submit', [[]], { type: 'execution', ...own }, 'triggerer', '71:3'],
    [
      'for other queues',
      'trigger/sync',
      [{ queues: ['a', 'b'] }],
      { type: 'trigger', queues: ['a'] },
      'a, b',
      'queues a',
    ],
    [
      'of a triggerer, by a dag-processor',
      'dag/putDagFileList',
      [[]],
      { type: 'trigger', queues: [] },
      'dag-',
      'triggers',
    ],
    ['for the REST API', 'dag/putDagFileList', [[]], { type: 'api', name: 'ci' }, 'dag-processor', 'REST'],
  ])('with a token %s', async (_what, path, args, scope, needed, given) => {
    const answer = await post(path, args, await issue(scope));
    expect(answer).toMatchObject({ status: 403, code: 'E_TOKEN_SCOPE' });
    expect(answer.needed).toContain(needed);
    expect(answer.given).toContain(given);
    expect(answer.detail).toContain(answer.given);
  });

  test.each<[string, string, unknown, number, string]>([
    ['that no role has', 'task/constructor', [own], 404, 'there is no POST'],
    ['whose arguments are no array', 'task/connection', { own }, 400, 'JSON array'],
    ['with too many arguments', 'task/connection', [own, 'acme', 1], 400, 'takes 2 arguments and got 3'],
    ['that names nobody', 'task/connection', [{ taskInstanceId: '1; drop table', epoch: 3 }, 'x'], 400, 'hand-off'],
    ['whose body is no JSON', 'task/connection', '[', 400, 'JSON'],
    ['that is too large', 'task/connection', JSON.stringify([own, 'x'.repeat(33 * 2 ** 20)]), 413, 'Send less'],
  ])('%s', async (_what, path, body, status, detail) => {
    const answer = await post(path, body, await executionToken(own));
    expect(answer).toMatchObject({ status, code: 'E_EXECUTION_CALL' });
    expect(answer.detail).toContain(detail);
  });

  test.each<[string, string, TokenScope, unknown[]]>([
    ['a callback that names a task too', 'connection', { type: 'callback', callbackId: '5' }, ['acme']],
    ['a callback that would end a task', 'finish', { type: 'callback', callbackId: '5' }, [{ state: 'stopped' }]],
    ['a task that names a callback too', 'connection', { type: 'execution', ...own }, ['acme']],
    ['a task that hides behind a callback', 'getSteps', { type: 'execution', ...own }, []],
  ])('of %s', async (_what, method, scope, args) => {
    const answer = await post(`task/${method}`, [{ callbackId: '5', ...own }, ...args], await issue(scope));
    expect(answer).toMatchObject({ status: 400, code: 'E_EXECUTION_CALL' });
  });

  test('of a triggerer whose queues are no list', async () => {
    const token = await issue({ type: 'trigger', queues: ['a'] });
    expect(await post('trigger/sync', [{ queues: '{b}' }], token)).toMatchObject({ status: 400 });
  });

  test('by the platform itself without what went wrong inside', async () => {
    const token = await issue({ type: 'trigger', queues: [] });
    const answer = await post('trigger/variable', [{ triggerId: '1', leaseEpoch: 1 }, 'x'], token);
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer)).not.toContain('secret of the platform');
    expect(logged.find((line) => line.includes(answer.requestId))).toContain('a secret of the platform');
  });
});

describe('the other roles', () => {
  test('a triggerer submits events', async () => {
    const api = connectTriggerApi(client, await issue({ type: 'trigger', queues: ['default'] }));
    const event = { triggerId: '1', leaseEpoch: 1, outcome: { type: 'event', payload: null } } as const;
    expect(await api.submit([event])).toEqual(['applied']);
  });

  test('a dag-processor puts its files', async () => {
    const api = connectDagApi(client, await issue({ type: 'dag' }));
    const error = { file: 'dags/broken.ts', line: 3, message: 'oops', stack: null };
    const file = { file: 'dags/broken.ts', codeHash: 'x', dags: [], importErrors: [error] };
    expect(await api.putDagFile(file)).toEqual({ versionHashes: {} });
    const { rows } = await scene.database.query("select message from import_error where file = 'dags/broken.ts'");
    expect(rows).toEqual([{ message: 'oops' }]);
  });

  const request = { triggererId: 'x', queues: [], codeHash: 'x', capacity: 1, done: [], progress: [], waitMs: 60_000 };

  test('a long poll ends when its caller has gone', async () => {
    const leaving = new ExecutionApiClient(url);
    const api = connectTriggerApi(leaving, await issue({ type: 'trigger', queues: [] }));
    const poll = api.sync(request).catch((error: unknown) => error);
    await until(() => waitingSyncs.size === 1, 'the platform waits');
    await leaving.close();
    await until(() => waitingSyncs.size === 0, 'the platform has noticed');
    expect(await poll).toMatchObject({ code: 'E_EXECUTION_API_UNREACHABLE' });
  });

  test('a long poll does not keep the server from closing', async () => {
    const closing = await serve({ tokens });
    const itsClient = new ExecutionApiClient(closing.url);
    const api = connectTriggerApi(itsClient, await issue({ type: 'trigger', queues: [] }));
    const poll = api.sync(request);
    await until(() => waitingSyncs.size === 1, 'the platform waits');
    await closing.app.close();
    expect(await poll).toMatchObject({ claimed: [] });
    await itsClient.close();
  });
});

describe('when the secret keys change', () => {
  test('a task that was started before goes on', async () => {
    const queued = await scene.queuedTask();
    const rotated = await serve({ tokens: new Tokens([generateSecretKey(), secretKey]) });
    const itsClient = new ExecutionApiClient(rotated.url);
    const api = connectTaskApi(itsClient);
    api.admit(await workloadOf(queued));
    const { token } = await api.start(queued.handOff, worker);
    await expect(tokens.verify(token)).rejects.toMatchObject({ reason: 'signature' });
    await api.finish(queued.handOff, { state: 'success', result: { type: 'none' } });
    await itsClient.close();
    await rotated.app.close();
  });
});
