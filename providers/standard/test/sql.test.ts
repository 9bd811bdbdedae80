import { createServer } from 'node:net';
import type { Context } from '@windhover/core';
import { Connection } from '@windhover/core';
import { type BackendAnswer, runOperator, testSensor, until, type VirtualClock } from '@windhover/core/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../platform/test/support/test-postgres.ts';
import { PostgresHook, type SqlArgs, SqlOperator, SqlSensor } from '../src/index.ts';

let database: TestDatabase;
let connections: { postgres_default: string };
let hook: PostgresHook;

beforeAll(async () => {
  database = await createTestDatabase();
  connections = { postgres_default: database.url.replace(/^postgresql:/, 'postgres:') };
  hook = hookOf(connections.postgres_default);
});
// Rejects when a connection is still open.
afterAll(() => database.drop());

const hookOf = (uri: string) =>
  new PostgresHook({ connection: async (connId) => Connection.fromUri(connId, uri) }, 'postgres_default');
const sql = (args: Partial<SqlArgs> & Pick<SqlArgs, 'sql'>) =>
  runOperator(new SqlOperator({ taskId: 'sql', ...args }), { connections });

describe('SqlOperator', () => {
  test('returns the rows of its last statement', async () => {
    const run = await sql({
      sql: ['create table a (n int)', 'insert into a values (1), (2)', 'select n from a order by n'],
    });
    expect(run).toMatchObject({ state: 'success', result: [{ n: 1 }, { n: 2 }] });
  });

  test('passes parameters beside the statement, not inside', async () => {
    const run = await sql({
      sql: 'select $1::text as name, $2::int + 1 as next',
      parameters: ["'; drop table a; --", 41],
    });
    expect(run.result).toEqual([{ name: "'; drop table a; --", next: 42 }]);
  });

  test('a text with several statements gives the rows of the last', async () => {
    expect((await sql({ sql: 'select 1 as n; select 2 as n' })).result).toEqual([{ n: 2 }]);
  });

  test('a statement that fails undoes those before it', async () => {
    const run = await sql({ sql: ['create table undone (n int)', 'select 1/0'] });
    expect(run).toMatchObject({ state: 'failed', error: { code: 'E_POSTGRES', isRetryable: false } });
    expect(run.error!.message).toMatch(/^PostgreSQL .*\/test_\w+ \(connection "postgres_default"\): division by zero/);
    expect(await hook.query("select to_regclass('undone') is null as is_gone")).toEqual([{ is_gone: true }]);
  });

  test('with autocommit it does not', async () => {
    await sql({ sql: ['create table kept (n int)', 'select 1/0'], autocommit: true });
    expect(await hook.query("select to_regclass('kept') is null as is_gone")).toEqual([{ is_gone: false }]);
  });

  test('results survive storage, and mean the same on every machine', async () => {
    const run = await sql({
      sql: `select count(*) as count, 9007199254740993::int8 as big, 1.50::numeric as price, '2026-01-02'::date as day,
                   '2026-01-02 03:04'::timestamp as local, '2026-01-02T03:04Z'::timestamptz as instant,
                   '1 day'::interval as span, '\\x00ff'::bytea as bytes, '{"a": [1]}'::jsonb as doc, null as nothing`,
    });
    expect(run.result).toEqual([
      {
        count: 1,
        big: 9007199254740993n,
        price: '1.50',
        day: '2026-01-02',
        local: '2026-01-02 03:04:00',
        instant: new Date('2026-01-02T03:04:00Z'),
        span: '1 day',
        bytes: new Uint8Array([0, 255]),
        doc: { a: [1] },
        nothing: null,
      },
    ]);
  });

  test('a task that is to end cancels its statement on the server', async () => {
    const controller = new AbortController();
    const context = { signal: controller.signal, connection: async () => hook.connection() };
    const operator = new SqlOperator({ taskId: 'sql', sql: 'select pg_sleep(600) /* to be cancelled */' });
    const ended = operator.execute(context as unknown as Context);
    await until(async () => (await running()) === 1, 'the statement runs');
    controller.abort(new Error('the user wants it to end'));
    await expect(ended).rejects.toThrow('the user wants it to end');
    await until(async () => (await running()) === 0, 'the statement has ended');

    async function running() {
      const [row] = await hook.query(
        `select count(*) from pg_stat_activity
          where state = 'active' and query like '%to be cancelled%' and pid <> pg_backend_pid()`,
      );
      return row!.count;
    }
  });
});

describe('SqlSensor', () => {
  beforeAll(async () => {
    await hook.run([
      { sql: 'create sequence looks' },
      {
        sql: `create function answer(script text[]) returns text language plpgsql as $$
              declare reply text := script[least(nextval('looks'), array_length(script, 1))];
              begin
                if reply = 'transient' then raise exception 'starting up' using errcode = 'cannot_connect_now'; end if;
                return reply;
              end $$`,
      },
    ]);
  });
  beforeEach(() => hook.query("select setval('looks', 1, false)"));

  const suite = testSensor({
    backend: async (script: readonly BackendAnswer[], clock: VirtualClock) => {
      await hook.query("select setval('looks', 1, false)");
      const checks: Date[] = [];
      const fields = (await hook.connection()).toFields();
      // Each check asks for its connection anew, and so tells when it comes.
      const noting = {
        ...fields,
        get host() {
          checks.push(clock.now());
          return fields.host;
        },
      };
      return { script, connections: { warehouse: noting }, checks: () => checks };
    },
    sensor: (backend, options) =>
      new SqlSensor({
        connId: 'warehouse',
        sql: 'select answer($1)',
        parameters: [(backend as unknown as { script: readonly string[] }).script],
        success: (value) => value === 'done',
        failure: (value) => value === 'failed',
        ...options,
      }),
  });
  for (const { name, run } of suite) test(name, run);

  test.each(['null', 'false', '0', "''", "'0'", '0::numeric', 'count(*) from (select 1 where false) none'])(
    'waits on while the first column is %s',
    async (value) => {
      expect((await look(`select ${value}`)).state).toBe('failed');
    },
  );

  test.each(['true', '1', "'no'", 'now()', 'array[0]'])('ends when it is %s', async (value) => {
    expect((await look(`select ${value}`)).state).toBe('success');
  });

  test('its result is the value that decided', async () => {
    expect((await look('select 42 as answer, 1 as other')).result).toBe(42);
    expect((await look('select 0, 7 as rows', { selector: (row) => row.rows })).result).toBe(7);
  });

  test('no row is waited for, and fails with failOnEmpty', async () => {
    expect((await look('select 1 where false')).error!.code).toBe('E_SENSOR_TIMEOUT');
    expect((await look('select 1 where false', { failOnEmpty: true })).error!.message).toContain('gave no row');
  });

  function look(query: string, args: Partial<ConstructorParameters<typeof SqlSensor>[0]> = {}) {
    return runOperator(new SqlSensor({ taskId: 'wait', sql: query, timeout: '2m', ...args }), { connections });
  }
});

describe('what PostgresHook says when', () => {
  const change = (edit: (url: URL) => void) => {
    const url = new URL(connections.postgres_default);
    edit(url);
    return hookOf(url.href).testConnection();
  };

  test('all is well', async () => {
    const { isSuccess, message } = await hook.testConnection();
    expect(isSuccess).toBe(true);
    expect(message).toMatch(/^Connected to PostgreSQL \d+/);
  });

  test('the database does not exist', async () => {
    const { isSuccess, message } = await change((url) => {
      url.pathname = '/nowhere';
    });
    expect(isSuccess).toBe(false);
    expect(message).toContain('database "nowhere" does not exist. Check the database (schema) of the connection.');
  });

  test('nobody listens there', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await until(() => server.listening, 'there is a free port');
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const { message } = await change((url) => {
      url.hostname = '127.0.0.1';
      url.port = String(port);
    });
    expect(message).toMatch(/ECONNREFUSED.*Is the server up, and are host and port of the connection right\?/);
  });

  test('the statement is wrong', async () => {
    await expect(hook.query('selec 1')).rejects.toMatchObject({
      code: 'E_POSTGRES',
      sqlState: '42601',
      isRetryable: false,
    });
  });

  test('the server is shutting down, which passes', async () => {
    await expect(
      hook.query("do $$ begin raise exception 'x' using errcode = 'admin_shutdown'; end $$"),
    ).rejects.toMatchObject({ sqlState: '57P01', isRetryable: true });
  });

  test('its connection is cut, which passes', async () => {
    const cut = hook.query('select pg_terminate_backend(pg_backend_pid())');
    await expect(cut).rejects.toMatchObject({ code: 'E_POSTGRES', isRetryable: true });
  });

  test('sslmode is unknown', async () => {
    const { message } = await change((url) => {
      url.search = '?sslmode=prefer';
    });
    expect(message).toBe(
      'Connection "postgres_default" has the sslmode "prefer". Take disable, require or verify-full.',
    );
  });

  test('TLS is asked for and the server has none', async () => {
    const { message } = await change((url) => {
      url.search = '?sslmode=require';
    });
    expect(message).toContain('does not support SSL');
  });
});
