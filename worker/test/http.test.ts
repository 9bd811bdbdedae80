import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StaleEpochError, serializeError, type TaskWorkload } from '@windhover/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectTaskApi, type HttpTaskApi } from '../src/http/connect-task-api.ts';
import { connectTriggerApi } from '../src/http/connect-trigger-api.ts';
import { ExecutionApiClient } from '../src/http/execution-api-client.ts';

const handOff = { taskInstanceId: '7', epoch: 2 };
const identity = { hostname: 'here', pid: 1, codeHash: 'x' };
const workload: TaskWorkload = {
  type: 'task',
  id: 'task:7:2',
  token: 'start-token',
  priority: 1,
  queue: 'default',
  executorConfig: {},
  ...handOff,
  key: { dagId: 'd', runId: 'r', taskId: 't', mapIndex: -1 },
  dagFile: 'dags/d.ts',
};

interface Call {
  readonly path: string;
  readonly token: string | undefined;
  readonly args: unknown[];
  readonly socket: unknown;
}
type Answer = (response: ServerResponse) => void;

const json =
  (value: unknown): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const problem =
  (status: number, body: object): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify({ status, ...body }));
const hangUp: Answer = (response) => response.destroy();
const proxyPage: Answer = (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad</h1>');

/** A platform that plays a script; afterwards it answers null. */
let calls: Call[];
let script: Answer[];
let server: Server;
let client: ExecutionApiClient;
let api: HttpTaskApi;

beforeEach(async () => {
  [calls, script] = [[], []];
  server = createServer(async (request, response) => {
    calls.push(await read(request));
    (script.shift() ?? json(null))(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  client = new ExecutionApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  api = connectTaskApi(client);
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

async function read(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return {
    path: request.url!,
    token: request.headers.authorization,
    args: JSON.parse(Buffer.concat(chunks).toString()),
    socket: request.socket,
  };
}

describe('a call', () => {
  test('goes to the path of its role and method with its arguments', async () => {
    script.push(json({ connType: 'acme' }));
    expect(await api.connection(handOff, 'acme')).toEqual({ connType: 'acme' });
    expect(calls).toMatchObject([{ path: '/execution/v1/task/connection', args: [handOff, 'acme'] }]);
  });

  test('uses a connection of those before', async () => {
    for (let count = 0; count < 10; count += 1) await api.variable(handOff, 'x');
    // Two, because one that has just answered may not be free yet.
    expect(new Set(calls.map(({ socket }) => socket)).size).toBeLessThanOrEqual(2);
  });

  test.each([
    ['the connection broke', hangUp],
    ['a proxy answered for the platform', proxyPage],
    ['the platform failed', problem(500, { detail: 'The platform failed.' })],
    ['the platform says that it may pass', problem(503, { detail: 'x', name: 'X', code: 'E_X', isRetryable: true })],
  ])('that may be repeated is sent again when %s', async (_what, failure) => {
    script.push(failure, json('value'));
    expect(await api.variable(handOff, 'x')).toBe('value');
    expect(calls).toHaveLength(2);
  });

  test.each([
    ['the connection broke', hangUp, 'E_EXECUTION_API_UNREACHABLE'],
    ['the platform failed', proxyPage, 'E_EXECUTION_API_ANSWER'],
  ])('that may not be repeated fails when %s, and says that trying again may help', async (_what, failure, code) => {
    script.push(failure);
    const error = await api.startCallback('5').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, isRetryable: true });
    expect(calls).toHaveLength(1);
  });

  test('that may not be repeated is sent again when nobody was there to get it', async () => {
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => {
      server.close(resolve);
    });
    const started = api.startCallback('5');
    server.listen(port, '127.0.0.1');
    await started;
    expect(calls).toHaveLength(1);
  });

  test('that the platform refuses is not repeated', async () => {
    script.push(problem(422, { detail: 'no', name: 'ParamError', code: 'E_PARAM', isRetryable: false, dagId: 'd' }));
    const error = await api.variable(handOff, 'x').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ParamError', message: 'no', code: 'E_PARAM', dagId: 'd' });
    expect(calls).toHaveLength(1);
  });

  test('names what answered instead of the platform', async () => {
    script.push(problem(404, {}));
    await expect(api.variable(handOff, 'x')).rejects.toMatchObject({ status: 404, isRetryable: false });
  });

  test('ends when the client is closed', async () => {
    script.push(() => void client.close());
    const error = await api.variable(handOff, 'x').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'E_EXECUTION_API_UNREACHABLE' });
    expect(calls).toHaveLength(1);
  });
});

describe('an error of the platform', () => {
  test('is the same error here', async () => {
    const thrown = new StaleEpochError('Task instance 7', 2);
    const { name, code, isRetryable, message: detail } = { isRetryable: false, ...serializeError(thrown) };
    script.push(problem(409, { detail, name, code, isRetryable, subject: thrown.subject, epoch: thrown.epoch }));
    const error = await api.heartbeat(handOff).catch((caught: unknown) => caught);
    expect(StaleEpochError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ message: thrown.message, subject: 'Task instance 7', epoch: 2 });
  });
});

describe('the token of a hand-off', () => {
  const tokensSent = () => calls.map(({ token }) => token?.replace('Bearer ', ''));
  const expired = problem(401, { detail: 'old', name: 'InvalidTokenError', code: 'E_TOKEN', reason: 'expired' });

  test('is that of its workload, then that of start, then that of the last heartbeat', async () => {
    api.admit(workload);
    script.push(json({ token: 'one' }), json({ action: 'continue', token: 'two' }), json(null));
    await api.start(handOff, identity);
    await api.heartbeat(handOff);
    await api.variable(handOff, 'x');
    expect(tokensSent()).toEqual(['start-token', 'one', 'two']);
  });

  test('is not sent for another epoch', async () => {
    api.admit(workload);
    await api.variable({ ...handOff, epoch: 3 }, 'x');
    expect(tokensSent()).toEqual([undefined]);
  });

  test('is renewed by the start token when it has expired, and the call is made again', async () => {
    api.admit(workload);
    script.push(json({ token: 'one' }), expired, json({ token: 'two' }), json('value'));
    await api.start(handOff, identity);
    expect(await api.variable(handOff, 'x')).toBe('value');
    expect(tokensSent()).toEqual(['start-token', 'one', 'start-token', 'two']);
    expect(calls[2]).toMatchObject({ path: '/execution/v1/task/start', args: [handOff, identity] });
  });

  test.each<[string, (task: HttpTaskApi) => Promise<unknown>]>([
    ['has ended', (task) => task.finish(handOff, { state: 'success', result: { type: 'none' } })],
    ['was released', async (task) => task.release(workload)],
  ])('is forgotten when the workload %s', async (_what, end) => {
    api.admit(workload);
    await end(api);
    calls.length = 0;
    await api.variable(handOff, 'x');
    expect(tokensSent()).toEqual([undefined]);
  });

  test('of a triggerer goes with each of its calls', async () => {
    const triggerApi = connectTriggerApi(client, 'process-token');
    await triggerApi.submit([]);
    expect(calls).toMatchObject([{ path: '/execution/v1/trigger/submit', token: 'Bearer process-token', args: [[]] }]);
  });
});
