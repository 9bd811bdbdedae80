import { dag, task } from '@windhover/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDagRun } from '../src/dag-runs/create-dag-run.ts';
import { createTestApi, putDags, type TestApi } from './support/rest-api.ts';

let api: TestApi;

beforeAll(async () => {
  api = await createTestApi();
  await putDags(api, [dag('known', {}, () => void task('t', () => {}))]);
});
afterAll(() => api.close());

const send = (url: string, authorization?: string) =>
  api.server.inject({ url, headers: authorization === undefined ? {} : { authorization } });

describe('a token', () => {
  test('is wanted by every route but the public ones', async () => {
    for (const url of ['/api/v1/dags', '/api/v1/dags/known', '/api/v1/runs', '/api/v1/connections', '/api/v1/audit']) {
      expect((await send(url)).statusCode, url).toBe(401);
    }
    for (const url of ['/api/v1/health', '/api/v1/version', '/api/v1/openapi.json', '/metrics']) {
      expect((await send(url)).statusCode, url).toBe(200);
    }
  });

  test('that proves nothing is refused, and the problem does not repeat it', async () => {
    const response = await send('/api/v1/dags', 'Bearer not-a-token');
    expect(response.statusCode).toBe(401);
    expect(response.headers).toMatchObject({
      'content-type': expect.stringContaining('application/problem+json'),
      'www-authenticate': 'Bearer',
    });
    expect(response.json()).toMatchObject({ type: 'urn:windhover:error:E_TOKEN', status: 401, code: 'E_TOKEN' });
    expect(response.body).not.toContain('not-a-token');
  });

  test('of another scope is forbidden', async () => {
    const response = await send('/api/v1/dags', `Bearer ${await api.tokens.issue({ type: 'dag' })}`);
    expect([response.statusCode, response.json().code]).toEqual([403, 'E_TOKEN_SCOPE']);
  });
});

describe('a problem', () => {
  test('names what was not found, and has its facts as fields', async () => {
    const dagProblem = await api.call('GET', '/dags/unknown');
    expect(dagProblem).toMatchObject({ status: 404, contentType: expect.stringContaining('problem+json') });
    expect(dagProblem.body).toEqual({
      type: 'urn:windhover:error:E_DAG_NOT_FOUND',
      title: 'Not Found',
      status: 404,
      detail: expect.stringContaining('"unknown"'),
      code: 'E_DAG_NOT_FOUND',
      dagId: 'unknown',
    });
    const codes = async (path: string) => {
      const { status, body } = await api.call('GET', path);
      return [status, body.code];
    };
    expect(await codes('/dags/unknown/runs')).toEqual([404, 'E_DAG_NOT_FOUND']);
    expect(await codes('/dags/known/runs/r')).toEqual([404, 'E_DAG_RUN_NOT_FOUND']);
    const { runId } = await createDagRun(api.database, { dagId: 'known', runType: 'manual' });
    expect(await codes(`/dags/known/runs/${runId}/tasks/u`)).toEqual([404, 'E_TASK_NOT_FOUND']);
    expect(await codes(`/dags/known/runs/${runId}/tasks/u/explain`)).toEqual([404, 'E_TASK_NOT_FOUND']);
    expect(await codes('/pools/p')).toEqual([404, 'E_POOL_NOT_FOUND']);
    expect(await codes('/connections/c')).toEqual([404, 'E_CONNECTION_NOT_FOUND']);
    expect(await codes('/variables/v')).toEqual([404, 'E_VARIABLE_NOT_FOUND']);
  });

  test('of an unknown route names the nearest one', async () => {
    const { status, body } = await api.call('GET', '/dag/known');
    expect([status, body.code]).toEqual([404, 'E_ROUTE_NOT_FOUND']);
    expect(body.nearest).toBe('GET /api/v1/dags/{dagId}');
    expect((await api.call('POST', '/pools/p')).body.nearest).toBe('PUT /api/v1/pools/{name}');
    expect((await send('/xyz')).json()).toMatchObject({ code: 'E_ROUTE_NOT_FOUND', nearest: null });
  });

  test('of a request names each field that is wrong', async () => {
    const unknown = await api.call('GET', '/dags?pausd=true&tag=x');
    expect(unknown.status).toBe(422);
    expect(unknown.body).toMatchObject({
      code: 'E_REQUEST',
      errors: [{ path: 'pausd', message: 'is not known here; did you mean "paused"?' }],
    });
    const body = await api.call('POST', '/dags/known/runs', { config: {}, logicalDate: 'yesterday' });
    expect(body.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(['config', 'logicalDate']);
    const missing = await api.call('PATCH', '/dags/known', {});
    expect(missing.body.errors).toMatchObject([{ path: 'isPaused' }]);
    expect((await api.call('PATCH', '/dags/known')).status).toBe(422);
    expect((await api.call('GET', '/dags?limit=0')).body.errors).toMatchObject([{ path: 'limit' }]);
    expect((await api.call('GET', '/dags?limit=1001')).status).toBe(422);
    expect((await api.call('GET', '/dags?cursor=nonsense')).body.errors).toMatchObject([{ path: 'cursor' }]);
  });

  test('of a body that is no JSON is a problem too', async () => {
    const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' };
    const response = await api.server.inject({ method: 'PATCH', url: '/api/v1/dags/known', headers, payload: '{' });
    expect(response.statusCode).toBe(400);
    expect(response.headers['content-type']).toContain('application/problem+json');
  });

  test('of a value that the database cannot hold is no failure of the server', async () => {
    expect((await api.call('GET', '/dags/a%00b')).status).toBe(422);
    expect((await api.call('PUT', '/pools/huge', { slots: 2 ** 40 })).status).toBe(422);
    // The cursor of another collection.
    expect((await api.call('GET', `/runs?cursor=${Buffer.from('"abc"').toString('base64url')}`)).status).toBe(422);
  });

  test('of a URL that cannot be decoded is a problem too', async () => {
    const response = await send('/api/v1/dags/%zz', `Bearer ${api.token}`);
    expect(response.statusCode).toBe(400);
    expect(response.headers['content-type']).toContain('application/problem+json');
  });

  test('of the server tells nothing but where its log has more', async () => {
    const logStore = {
      read: () => Promise.reject(new Error('disk: secret path')),
      append: async () => {},
      remove: async () => {},
    };
    const server = api.newServer({ logStore });
    const { runId } = await createDagRun(api.database, { dagId: 'known', runType: 'manual' });
    await api.database.query(
      `insert into task_instance (dag_run_id, task_id, pool, pool_slots, priority_weight, queue)
       select id, 't', 'default_pool', 1, 1, 'default' from dag_run where run_id = $1`,
      [runId],
    );
    const url = `/api/v1/dags/known/runs/${encodeURIComponent(runId)}/tasks/t/logs`;
    const response = await server.inject({ url, headers: { authorization: `Bearer ${api.token}` } });
    await server.close();
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('secret path');
    const { requestId } = response.json();
    const line = api.logged.find(({ message }) => message.includes(requestId));
    expect(line).toMatchObject({ level: 'error', message: expect.stringContaining('disk: secret path') });
  });
});

describe('a collection', () => {
  async function walk(path: string, limit: number, between: () => Promise<unknown>): Promise<any[]> {
    const items: any[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await api.call('GET', `${path}limit=${limit}${cursor && `&cursor=${cursor}`}`);
      expect(body.items.length).toBeLessThanOrEqual(limit);
      items.push(...body.items);
      cursor = body.nextCursor;
      await between();
    }
    return items;
  }

  test('of runs neither skips nor repeats one while others are added', async () => {
    await putDags(api, [dag('paged', {}, () => void task('t', () => {}))], 'dags/paged.ts');
    const add = () => createDagRun(api.database, { dagId: 'paged', runType: 'manual' });
    const before: string[] = [];
    for (let count = 0; count < 7; count += 1) before.push((await add()).runId);
    const seen = (await walk('/runs?dagId=paged&', 2, add)).map(({ runId }) => runId);
    expect(seen).toEqual(before.reverse());
  });

  test('by name shows what is added behind the cursor, and each row once', async () => {
    for (const name of ['b', 'd', 'f', 'h']) await api.call('PUT', `/pools/${name}`, { slots: 1 });
    let added = 0;
    const names = (
      await walk('/pools?', 1, async () => {
        added += 1;
        if (added === 2) for (const name of ['a', 'g']) await api.call('PUT', `/pools/${name}`, { slots: 1 });
      })
    ).map(({ name }) => name);
    expect(names).toEqual(['b', 'd', 'default_pool', 'f', 'g', 'h']);
  });

  test('ends on a page that is just full', async () => {
    await api.call('PUT', '/variables/one', { value: '1' });
    await api.call('PUT', '/variables/two', { value: '2' });
    const { body } = await api.call('GET', '/variables?limit=2');
    expect(body).toMatchObject({ items: [{ key: 'one' }, { key: 'two' }], nextCursor: null });
  });
});

describe('the access log', () => {
  test('is written at debug only, without the query', async () => {
    await api.call('GET', '/dags?search=confidential');
    const lines = api.logged.filter(({ message }) => message.startsWith('GET /api/v1/dags '));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.every(({ level }) => level === 'debug')).toBe(true);
    expect(api.logged.some(({ message }) => message.includes('confidential'))).toBe(false);
  });
});
