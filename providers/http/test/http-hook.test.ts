import { Connection, type ConnectionFields } from '@windhover/core';
import { freePort, type HttpJobs, StandInServer, startHttpJobs } from '@windhover/testing-services';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpHook } from '../src/index.ts';

let jobs: HttpJobs;
let port: number;
beforeAll(async () => {
  jobs = await startHttpJobs();
  port = Number(new URL(jobs.url).port);
});
afterAll(() => jobs.stop());

function hookOf(fields: Partial<ConnectionFields> | string): HttpHook {
  const connection =
    typeof fields === 'string'
      ? Connection.fromUri('api', fields)
      : new Connection('api', { connType: 'http', host: '127.0.0.1', port, ...fields });
  return new HttpHook({ connection: async () => connection }, 'api');
}
const lastRequest = () => jobs.server.requests.at(-1)!;

describe('a connection says', () => {
  test.each([
    ['login and password', { login: 'me', password: 's:cret' }, 'authorization', `Basic ${btoa('me:s:cret')}`],
    ['a token', { extra: { token: 'abc' }, login: 'me' }, 'authorization', 'Bearer abc'],
    ['headers', { extra: { headers: { 'X-Team': 'north' } } }, 'x-team', 'north'],
  ])('%s', async (_what, fields, header, value) => {
    await hookOf(fields).request({ endpoint: '/items' });
    expect(lastRequest().headers[header]).toBe(value);
  });

  test('a path before every endpoint, as part of the host', async () => {
    const jobsOf = hookOf({ host: 'http://127.0.0.1/items' });
    await jobsOf.request({ endpoint: '?page=2' });
    expect(lastRequest()).toMatchObject({ path: '/items/' });
    expect(lastRequest().query.get('page')).toBe('2');
  });

  test('how long to wait for an answer', async () => {
    jobs.server.fail({ on: /slow/, delayMs: 30_000 });
    const slow = hookOf({ extra: { timeoutSeconds: 0.05 } }).request({ endpoint: '/slow' });
    await expect(slow).rejects.toMatchObject({ code: 'E_HTTP_UNREACHABLE', isRetryable: true });
  });

  test.each([
    ['http', undefined, 'http:'],
    ['https', undefined, 'https:'],
    ['http', 'https', 'https:'],
  ])('type %s with schema %s speaks %s', async (connType, schema, protocol) => {
    expect((await hookOf({ connType, schema }).client()).baseUrl.protocol).toBe(protocol);
  });
});

describe('an answer', () => {
  test('that is JSON is parsed, and other ones are texts', async () => {
    jobs.server.fail({ on: /text/, answer: { headers: { 'content-type': 'text/plain' }, body: '{"a":1}' } });
    jobs.server.fail({
      on: /vendor/,
      answer: { headers: { 'content-type': 'application/x.v1+json' }, body: '{"a":1}' },
    });
    jobs.server.fail({ on: /broken/, answer: { headers: { 'content-type': 'application/json' }, body: '{"a":' } });
    const dataOf = async (endpoint: string) => (await hookOf({}).request({ endpoint })).data;
    expect(await dataOf('/text')).toBe('{"a":1}');
    expect(await dataOf('/vendor')).toEqual({ a: 1 });
    expect(await dataOf('/broken')).toBe('{"a":');
  });

  test('that leads to another server does not take the credentials there', async () => {
    const other = await StandInServer.start(() => ({ body: { here: true } }));
    jobs.server.fail({ on: /moved/, answer: { status: 302, headers: { location: `${other.url}/x` } } });
    const { data } = await hookOf({ extra: { token: 'abc' } }).request({ endpoint: '/moved' });
    expect(data).toEqual({ here: true });
    expect(other.requests[0]!.headers.authorization).toBeUndefined();
    await other.stop();
  });
});

describe('what it says when', () => {
  test('the credentials are wrong', async () => {
    jobs.server.fail({ on: /secret/, answer: { status: 401, body: { error: 'who are you' } } });
    await expect(hookOf({ password: 'hunter2' }).request({ endpoint: '/secret?token=hunter2' })).rejects.toMatchObject({
      isRetryable: false,
      message:
        `GET http://127.0.0.1:${port}/secret was answered with 401: {"error":"who are you"}. ` +
        'Check login, password or token of connection "api".',
    });
  });

  test('nobody listens there', async () => {
    const refused = await freePort();
    await expect(hookOf({ port: refused }).request({ endpoint: '/' })).rejects.toMatchObject({
      isRetryable: true,
      isUnseen: true,
      message: expect.stringMatching(/got no answer: .*ECONNREFUSED.* Check host and port of connection "api"/),
    });
  });

  test('there is no such host', async () => {
    await expect(hookOf({ host: 'no-such-host.invalid' }).request({ endpoint: '/' })).rejects.toMatchObject({
      code: 'E_HTTP_UNREACHABLE',
    });
  });

  test.each([
    [{ host: undefined }, '/x', 'the connection has no host'],
    [{ host: 'ftp://files' }, '/x', '"ftp://" is not spoken here'],
    [{ host: 'not a host' }, '/x', 'which is no URL'],
    [
      {},
      'http://elsewhere.example/x',
      'the endpoint leads to http://elsewhere.example, and the connection to http://127',
    ],
  ])('the address is wrong: %j %s', async (fields, endpoint, words) => {
    await expect(hookOf(fields as Partial<ConnectionFields>).request({ endpoint })).rejects.toThrow(words);
  });

  test('the connection is tested', async () => {
    expect(await hookOf({}).testConnection()).toEqual({
      isSuccess: true,
      message: 'The server answers, with 404 for its root.',
    });
    jobs.server.fail({ on: /^GET \/$/, answer: { status: 403 } });
    expect((await hookOf({}).testConnection()).isSuccess).toBe(false);
    expect((await hookOf({ port: await freePort() }).testConnection()).isSuccess).toBe(false);
  });
});

test('a request that is to end, ends, with the reason', async () => {
  jobs.server.fail({ on: /waiting/, delayMs: 30_000 });
  const controller = new AbortController();
  const waiting = hookOf({}).request({ endpoint: '/waiting' }, { signal: controller.signal });
  controller.abort(new Error('the task was killed'));
  await expect(waiting).rejects.toThrow('the task was killed');
});

test('connections are kept and used again', async () => {
  const sockets = new Set<unknown>();
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    response.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port: own } = server.address() as { port: number };
  for (let sent = 0; sent < 20; sent += 1) await hookOf({ port: own }).request({ endpoint: '/' });
  // A second one may be opened while the first is just being given back.
  expect(sockets.size).toBeLessThan(5);
  server.closeAllConnections();
  server.close();
});
