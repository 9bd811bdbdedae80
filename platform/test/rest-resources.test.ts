import { dag, task } from '@windhover/core';
import { until } from '@windhover/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { finishConnectionTest, requestConnectionTest } from '../src/connections/connection-tests.ts';
import { DagFileStore } from '../src/dags/dag-file-store.ts';
import { awaitConnectionTest } from '../src/rest/connection-test-routes.ts';
import { beginTestRun, createTestApi, type TestApi } from './support/rest-api.ts';

let api: TestApi;

beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api.close());

const actions = async () =>
  (await api.call('GET', '/audit')).body.items.map(({ action, subject }: any) => `${action} ${subject}`);

describe('a pool', () => {
  test('is made, changed and deleted', async () => {
    const made = await api.call('PUT', '/pools/slow', { slots: 2, description: 'for the slow ones' });
    expect(made.body).toEqual({
      name: 'slow',
      slots: 2,
      includeDeferred: false,
      description: 'for the slow ones',
      occupiedSlots: 0,
      deferredTasks: 0,
    });
    expect((await api.call('PUT', '/pools/slow', { slots: -1, includeDeferred: true })).body).toMatchObject({
      slots: -1,
      includeDeferred: true,
      description: '',
    });
    expect((await api.call('DELETE', '/pools/slow')).status).toBe(204);
    expect((await api.call('GET', '/pools/slow')).status).toBe(404);
    expect((await api.call('DELETE', '/pools/slow')).status).toBe(404);
    expect((await actions()).slice(0, 3)).toEqual(['pool.delete slow', 'pool.put slow', 'pool.put slow']);
  });

  test('says how many of its slots are taken', async () => {
    await api.call('PUT', '/pools/small', { slots: 5 });
    const made = dag('pooled', {}, () => void task('t', () => {}, { pool: 'small', poolSlots: 2 }));
    const { ids } = await beginTestRun(api, made);
    await api.writer.submit({ id: ids.get('t')!, type: 'queue', epoch: 0, jobId: 1, executor: 'local' });
    expect((await api.call('GET', '/pools/small')).body).toMatchObject({ slots: 5, occupiedSlots: 2 });
  });

  test('is refused with a name that is no id, or a number of slots that makes no sense', async () => {
    expect((await api.call('PUT', '/pools/no%20id', { slots: 1 })).body.errors).toMatchObject([{ path: 'name' }]);
    for (const slots of [-2, 1.5, '3', undefined]) {
      expect((await api.call('PUT', '/pools/p', { slots })).body.errors, String(slots)).toMatchObject([
        { path: 'slots' },
      ]);
    }
    expect((await api.call('GET', '/pools/p')).status).toBe(404);
  });

  test('that is the default cannot be deleted', async () => {
    const { status, body } = await api.call('DELETE', '/pools/default_pool');
    expect([status, body.code]).toEqual([409, 'E_POOL_PROTECTED']);
  });
});

describe('a connection', () => {
  test('is stored from a URI or from fields, and its secrets never come back', async () => {
    const uri = 'postgres://ada:hunter2@db.example:5432/sales?sslmode=require&api_key=s3cr3t';
    const fromUri = await api.call('PUT', '/connections/db', { uri, description: 'the store' });
    expect(fromUri.body).toEqual({
      connId: 'db',
      connType: 'postgres',
      description: 'the store',
      host: 'db.example',
      port: 5432,
      login: 'ada',
      schema: 'sales',
      extra: { sslmode: 'require', api_key: '***' },
      hasPassword: true,
      updatedAt: expect.any(String),
    });
    const extra = { region: 'eu', nested: { client_secret: 's3cr3t' }, keys: '{"private_key":"s3cr3t"}' };
    await api.call('PUT', '/connections/aws', { connType: 'aws', login: 'id', password: 'hunter2', extra });
    const listed = await api.call('GET', '/connections');
    expect(listed.body.items.map(({ connId }: any) => connId)).toEqual(['aws', 'db']);
    const everything = JSON.stringify([fromUri.body, listed.body, (await api.call('GET', '/audit')).body]);
    expect(everything).not.toMatch(/hunter2|s3cr3t/);
    const { rows } = await api.database.query('select fields from connection');
    expect(rows.some(({ fields }) => fields.toString('latin1').includes('hunter2'))).toBe(false);
    expect((await api.call('DELETE', '/connections/aws')).status).toBe(204);
    expect((await api.call('DELETE', '/connections/aws')).status).toBe(404);
  });

  test('is refused without a type, with both forms at once, and with a URI that cannot be read', async () => {
    const errors = async (body: object) => (await api.call('PUT', '/connections/x', body)).body.errors;
    expect(await errors({ host: 'h' })).toMatchObject([{ path: 'connType' }]);
    expect(await errors({ uri: 'a://b', host: 'h' })).toMatchObject([{ path: 'host' }]);
    expect(await errors({ connType: 'a', hots: 'h' })).toMatchObject([{ path: 'hots' }]);
    const { status, body } = await api.call('PUT', '/connections/x', { uri: 'hunter2' });
    expect([status, body.code]).toEqual([422, 'E_CONNECTION_URI']);
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect((await api.call('PUT', '/connections/no%20id', { uri: 'a://b' })).status).toBe(422);
  });
});

describe('the test of a connection', () => {
  const connectionTypes = new Map([['postgres', '@x/y#Hook']]);

  test('answers what the worker found', async () => {
    await api.call('PUT', '/connections/tested', { uri: 'postgres://h' });
    const server = api.newServer({ connectionTypes });
    const headers = { authorization: `Bearer ${api.token}` };
    const answer = server.inject({ method: 'POST', url: '/api/v1/connections/tested/test', headers });
    let testId: string | undefined;
    await until(async () => {
      const { rows } = await api.database.query("select id from connection_test where conn_id = 'tested'");
      testId = rows[0] && String(rows[0].id);
      return testId;
    }, 'the test is asked for');
    await finishConnectionTest(api.database, testId!, { isSuccess: true, message: 'The server answers.' });
    expect((await answer).json()).toEqual({ ok: true, message: 'The server answers.' });
    await server.close();
    expect((await actions())[0]).toBe('connection.test tested');
  });

  test('says that no provider knows the type', async () => {
    await api.call('PUT', '/connections/odd', { connType: 'odd' });
    const { status, body } = await api.call('POST', '/connections/odd/test');
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: false,
      message: expect.stringContaining('no installed provider declares the type "odd"'),
    });
  });

  test('finds a connection of the environment, and is a 404 for one that is nowhere', async () => {
    api.env.WINDHOVER_CONN_FROM_ENV = 'odd://h';
    expect((await api.call('POST', '/connections/from_env/test')).body).toMatchObject({ ok: false });
    expect((await api.call('POST', '/connections/nowhere/test')).status).toBe(404);
  });

  test('says that no worker has answered', async () => {
    const { testId } = await requestConnectionTest({ ...api, connectionTypes }, 'c', { connType: 'postgres' });
    const closing = new AbortController().signal;
    expect(await awaitConnectionTest({ database: api.database, closing }, testId, 1)).toEqual({
      ok: false,
      message: expect.stringContaining('No worker has answered'),
    });
  });
});

describe('a variable', () => {
  test('is set, read and deleted, and masked where its name sounds like a secret', async () => {
    expect((await api.call('PUT', '/variables/region', { value: 'eu' })).body).toMatchObject({
      key: 'region',
      value: 'eu',
    });
    expect((await api.call('PUT', '/variables/api_token', { value: 's3cr3t' })).body).toMatchObject({ value: '***' });
    expect((await api.call('GET', '/variables')).body.items).toMatchObject([
      { key: 'api_token', value: '***' },
      { key: 'region', value: 'eu' },
    ]);
    expect((await api.call('PUT', '/variables/region', { value: '' })).body).toMatchObject({ value: '' });
    expect((await api.call('DELETE', '/variables/region')).status).toBe(204);
    expect((await api.call('GET', '/variables/region')).status).toBe(404);
    expect((await actions()).slice(0, 2)).toEqual(['variable.delete region', 'variable.put region']);
  });
});

describe('what is wrong and what is alive', () => {
  test('import errors are listed', async () => {
    const importErrors = [{ file: 'dags/bad.ts', line: 3, message: 'Unexpected token', stack: null }];
    await new DagFileStore(api.database).putDagFile({ file: 'dags/bad.ts', codeHash: '', dags: [], importErrors });
    const { body } = await api.call('GET', '/import-errors');
    expect(body.items).toMatchObject([{ file: 'dags/bad.ts', line: 3, message: 'Unexpected token', stack: null }]);
  });

  test('jobs are listed, and health tells the living from the silent and the stopped', async () => {
    const health = async () => (await api.server.inject('/api/v1/health')).json();
    expect(await health()).toEqual({
      status: 'healthy',
      database: { status: 'healthy' },
      scheduler: { status: 'none', latestHeartbeat: null, alive: 0 },
      triggerer: { status: 'none', latestHeartbeat: null, alive: 0 },
      dagProcessor: { status: 'none', latestHeartbeat: null, alive: 0 },
    });
    const add = (type: string, state: string, lease: string) =>
      api.database.query(
        `insert into job (type, hostname, pid, state, expires_at) values ($1, 'h', 1, $2, now() + $3::interval)`,
        [type, state, lease],
      );
    await add('SchedulerJob', 'running', '-1 minute');
    expect(await health()).toMatchObject({ status: 'unhealthy', scheduler: { status: 'unhealthy', alive: 0 } });
    await add('SchedulerJob', 'running', '1 minute');
    await add('Triggerer', 'ended', '-1 minute');
    expect(await health()).toMatchObject({
      status: 'healthy',
      scheduler: { status: 'healthy', alive: 1, latestHeartbeat: expect.any(String) },
      triggerer: { status: 'none' },
    });
    const { body } = await api.call('GET', '/jobs?type=scheduler&alive=true');
    expect(body.items).toMatchObject([{ type: 'SchedulerJob', hostname: 'h', isAlive: true, endedAt: null }]);
    expect((await api.call('GET', '/jobs?alive=false')).body.items).toHaveLength(2);
  });

  test('the version is told', async () => {
    expect((await api.server.inject('/api/v1/version')).json()).toEqual({ version: '1.2.3' });
  });

  test('metrics count changes of tasks, requests by route, pools and jobs', async () => {
    const { ids } = await beginTestRun(
      api,
      dag('measured', {}, () => void task('t', () => {})),
    );
    await api.server.ready();
    await api.writer.submit({ id: ids.get('t')!, type: 'queue', epoch: 0, jobId: 1, executor: 'local' });
    await api.call('GET', '/dags/measured');
    const { body, headers } = await api.server.inject('/metrics');
    expect(headers['content-type']).toContain('text/plain');
    expect(body).toMatch(/^windhover_task_instance_changes_total\{state="queued"\} [1-9]/m);
    expect(body).toMatch(
      /^windhover_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/dags\/:dagId",status="200"\} 1$/m,
    );
    expect(body).toMatch(/^windhover_pool_slots\{pool="default_pool"\} 128$/m);
    expect(body).toMatch(/^windhover_pool_occupied_slots\{pool="default_pool"\} 1$/m);
    expect(body).toMatch(/^windhover_dag_runs\{state="running"\} [1-9]/m);
    expect(body).toMatch(/^windhover_jobs_alive\{type="SchedulerJob"\} 1$/m);
    expect(body).toMatch(/^windhover_import_errors 1$/m);
    expect(body).toMatch(/^process_cpu_seconds_total /m);
  });
});
