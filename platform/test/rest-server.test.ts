import { type Dag, dag, type LogRecord, task } from '@windhover/core';
import { until } from '@windhover/core/testing';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ApiServerOptions } from '../src/rest/api-server.ts';
import { listenOrThrow } from '../src/rest/listen.ts';
import { PortTakenError } from '../src/rest/port-taken-error.ts';
import { beginTestRun, createTestApi, type TestApi } from './support/rest-api.ts';

let api: TestApi;
const servers: FastifyInstance[] = [];

beforeAll(async () => {
  api = await createTestApi();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => api.close());

async function listen(options: Partial<ApiServerOptions> = {}): Promise<{ server: FastifyInstance; url: string }> {
  const server = api.newServer(options);
  servers.push(server);
  const { url } = await listenOrThrow(server, { host: '127.0.0.1', port: 0 });
  return { server, url };
}

const get = (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { authorization: `Bearer ${api.token}` } });

const record = (message: string): LogRecord => ({ at: '2026-01-01T00:00:00.000Z', level: 'info', message });
let made = 0;
const single = (): Dag => dag(`s${++made}`, {}, () => void task('t', () => {}, { retries: 1, retryDelay: '1h' }));

async function runningTask() {
  const { ids, path, runId } = await beginTestRun(api, single());
  const id = ids.get('t')!;
  await api.writer.submit({ id, type: 'queue', epoch: 0, jobId: 1, executor: 'local' });
  await api.writer.submit({ id, type: 'start', epoch: 1, worker: { hostname: 'h', pid: 1, codeHash: '' } });
  const stream = { type: 'task', dagId: `s${made}`, runId, taskId: 't', mapIndex: -1 } as const;
  let sequence = 0;
  return {
    id,
    logs: `${path}/tasks/t/logs`,
    write: (attempt: number, ...messages: string[]) =>
      api.logStore.append([
        { stream: { ...stream, attempt }, writer: 'w', sequence: sequence++, records: messages.map(record) },
      ]),
    end: (report: 'success' | 'failed') =>
      api.writer.submit({
        id,
        type: 'finish',
        epoch: 1,
        report:
          report === 'success'
            ? { state: 'success', result: { type: 'none' } }
            : { state: 'failed', error: { name: 'Error', message: 'no' } },
      }),
  };
}

/** Counts who waits: a follower looks at the log again and again. Followers are told apart by their limit. */
function countingStore() {
  const reads = new Map<number, number>();
  const logStore: ApiServerOptions['logStore'] = {
    append: (chunks) => api.logStore.append(chunks),
    remove: (stream) => api.logStore.remove(stream),
    read: (stream, options) => {
      const limit = options?.limit ?? 0;
      reads.set(limit, (reads.get(limit) ?? 0) + 1);
      return api.logStore.read(stream, options);
    },
  };
  return { readsOf: (limit: number) => reads.get(limit) ?? 0, logStore };
}

describe('the log of a task', () => {
  test('is read page by page, the latest attempt by default', async () => {
    const running = await runningTask();
    await running.write(1, 'one', 'two', 'three');
    const first = (await api.call('GET', `${running.logs}?limit=2`)).body;
    expect(first.records.map(({ message }: LogRecord) => message)).toEqual(['one', 'two']);
    expect(first).toMatchObject({ attempt: 1, isOver: false });
    await running.end('failed');
    const whole = (await api.call('GET', `${running.logs}?limit=3`)).body;
    expect(whole).toMatchObject({ isOver: false });
    const rest = (await api.call('GET', `${running.logs}?limit=2&cursor=${first.cursor}`)).body;
    expect(rest).toMatchObject({ records: [{ message: 'three' }], attempt: 1, isOver: true });
    await api.writer.submit({ id: running.id, type: 'clear' });
    expect((await api.call('GET', running.logs)).body).toMatchObject({ records: [], attempt: 2, isOver: false });
    expect((await api.call('GET', `${running.logs}?attempt=1`)).body).toMatchObject({ attempt: 1, isOver: true });
    const later = await api.call('GET', `${running.logs}?attempt=3`);
    expect([later.status, later.body.errors[0].path]).toEqual([422, 'attempt']);
  });

  test('is followed while it grows, until the attempt is over', async () => {
    const running = await runningTask();
    const { url } = await listen();
    const messages: string[] = [];
    const follower = (async () => {
      let cursor = '';
      for (;;) {
        const page: any = await (
          await get(`${url}/api/v1${running.logs}?follow=true${cursor && `&cursor=${cursor}`}`)
        ).json();
        messages.push(...page.records.map(({ message }: LogRecord) => message));
        cursor = page.cursor;
        if (page.isOver) return;
      }
    })();
    await running.write(1, 'first');
    await until(() => messages.length === 1, 'the first line is followed');
    await running.write(1, 'second', 'third');
    await until(() => messages.length === 3, 'the next lines are followed');
    await running.write(1, 'last');
    await running.end('success');
    await follower;
    expect(messages).toEqual(['first', 'second', 'third', 'last']);
  });

  test('is no longer looked at when its follower goes away', async () => {
    const running = await runningTask();
    const { readsOf, logStore } = countingStore();
    const { url } = await listen({ logStore });
    const follow = (limit: number) => {
      const gone = new AbortController();
      const answer = get(`${url}/api/v1${running.logs}?follow=true&limit=${limit}`, { signal: gone.signal });
      return async () => {
        gone.abort();
        await expect(answer).rejects.toThrow();
      };
    };
    const leave = follow(1);
    await until(() => readsOf(1) >= 2, 'it is followed');
    await leave();
    // By the looks of another one: a follower that went on would have looked as often.
    const leaveToo = follow(2);
    await until(() => readsOf(2) >= 2, 'another one follows');
    const before = readsOf(1);
    await until(() => readsOf(2) >= 5, 'the other one follows on');
    expect(readsOf(1)).toBe(before);
    await leaveToo();
  });

  test('does not keep the server from closing: its followers are answered', async () => {
    const running = await runningTask();
    const { readsOf, logStore } = countingStore();
    const { url, server } = await listen({ logStore });
    const answers = [1, 2, 3].map((limit) => get(`${url}/api/v1${running.logs}?follow=true&limit=${limit}`));
    await until(() => [1, 2, 3].every((limit) => readsOf(limit) >= 2), 'all of them follow');
    await server.close();
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ records: [], isOver: false });
    }
  });
});

describe('a server', () => {
  test('whose port is taken says which, and what to do', async () => {
    const { server } = await listen();
    const { port } = server.server.address() as { port: number };
    const second = api.newServer();
    servers.push(second);
    const failure = await listenOrThrow(second, { host: '127.0.0.1', port }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PortTakenError);
    expect(failure).toMatchObject({ code: 'E_PORT_TAKEN', host: '127.0.0.1', port });
    expect((failure as Error).message).toContain('WINDHOVER_API__PORT');
  });

  test('serves the execution API beside its own, with its own ways', async () => {
    const { url } = await listen({
      executionApi: async (app) => {
        app.post('/execution/v1/task/start', async ({ body }) => ({ got: body }));
      },
    });
    const response = await fetch(`${url}/execution/v1/task/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '[1]',
    });
    expect(await response.json()).toEqual({ got: [1] });
    const document: any = await (await fetch(`${url}/api/v1/openapi.json`)).json();
    expect(Object.keys(document.paths).every((path) => path.startsWith('/api/v1/'))).toBe(true);
  });
});
