import { type BaseOperator, bindArgs, Connection, Replay } from '@windhover/core';
import { runOperator, TestHost, until } from '@windhover/core/testing';
import { CheckScript, type Snowflake } from '@windhover/testing-services';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SnowflakeHook, SnowflakeOperator, SnowflakeSqlApiHook, SnowflakeSqlApiOperator } from '../src/index.ts';
import { connectionsTo, startAccount } from './support/snowflake-backend.ts';

let snowflake: Snowflake;
let connections: ReturnType<typeof connectionsTo>;

beforeEach(async () => {
  snowflake = await startAccount({ partitionSize: 10 });
  connections = connectionsTo(snowflake);
});
afterEach(() => snowflake.stop());

const source = (fields: { connType: string }) => ({
  connection: async (connId: string) => new Connection(connId, fields),
});

describe('SnowflakeSqlApiOperator', () => {
  test('a script runs in order in one session, and each statement has an id', async () => {
    const sql =
      'create temp table t (n int); insert into t values (1), (2); create table total as select sum(n) as n from t;';
    const run = await runOperator(new SnowflakeSqlApiOperator({ taskId: 'script', sql }), { connections });
    expect(run.error).toBeUndefined();
    expect(run.result).toHaveLength(3);
    expect((await snowflake.sql('select n from total')).rows).toEqual([['3']]);
  });

  test('a semicolon at the end, or in a text, is not another statement', async () => {
    const run = await runOperator(new SnowflakeSqlApiOperator({ taskId: 'one', sql: "select 'a;b';" }), {
      connections,
    });
    expect(run.result).toHaveLength(1);
  });

  test('overrides are sent with the statement, and its tag names the task', async () => {
    const operator = new SnowflakeSqlApiOperator({
      taskId: 'one',
      sql: 'select 1',
      role: 'LOADER',
      warehouse: 'BIG',
      sessionParameters: { TIMEZONE: 'UTC' },
    });
    await runOperator(operator, { connections });
    const [statement] = snowflake.sqlApi.statements;
    expect(statement).toMatchObject({
      role: 'LOADER',
      warehouse: 'BIG',
      database: 'DB',
      parameters: { TIMEZONE: 'UTC' },
    });
    expect(JSON.parse(statement!.parameters!.QUERY_TAG!)).toMatchObject({ windhover: { taskId: 'one' } });
  });

  test('a submission whose answer is lost is sent again under its id, and runs once', async () => {
    snowflake.server.fail({ on: /^POST .*statements\?async/, answer: 'loseAnswer' });
    const run = await runOperator(
      new SnowflakeSqlApiOperator({ taskId: 'once', sql: 'create table made as select 1' }),
      {
        connections,
      },
    );
    expect(run).toMatchObject({ state: 'success', tries: 1 });
    expect(snowflake.queries.submitted).toHaveLength(1);
    expect(snowflake.server.count(/^POST .*retry=true/)).toBe(1);
  });

  test('a token that Snowflake no longer takes is made anew, in mid-wait too', async () => {
    snowflake.server.fail({
      on: /^GET .*statements/,
      answer: { status: 401, body: { code: '390114', message: 'JWT token has expired.' } },
    });
    const run = await runOperator(new SnowflakeSqlApiOperator({ taskId: 'one', sql: 'select 1' }), { connections });
    expect(run).toMatchObject({ state: 'success', tries: 1 });
  });

  test('a statement with wrong SQL fails with what Snowflake said', async () => {
    const run = await runOperator(new SnowflakeSqlApiOperator({ taskId: 'bad', sql: 'selec 1' }), { connections });
    expect(run).toMatchObject({ state: 'failed', error: { code: 'E_JOB_FAILED' } });
    expect(run.error?.message).toMatch(/^Snowflake query 01b2c3d4-\S+ failed \(001003, 42000\): SQL compilation error/);
  });
});

describe('SnowflakeOperator', () => {
  test.each([true, false])('statements of a list run one after the other, deferrable %s', async (deferrable) => {
    const sql = ['create table t as select 1 as n', 'insert into t values (2)', 'select sum(n) as total from t'];
    const operator = new SnowflakeOperator({ taskId: 'list', sql, snowflakeConnId: 'by_password', deferrable });
    const run = await runOperator(operator, { connections });
    expect(run).toMatchObject({ state: 'success', result: [{ TOTAL: 3 }] });
    expect(run.deferrals).toHaveLength(deferrable ? 3 : 0);
    expect(snowflake.queries.submitted).toHaveLength(3);
    expect(snowflake.driver.openSessions).toBe(0);
  });

  test('all results are a list without returnLast, each made by the handler', async () => {
    const operator = new SnowflakeOperator({
      taskId: 'all',
      sql: ['select ? as n', 'select ? + 1 as n'],
      parameters: [7],
      returnLast: false,
      handler: (rows) => rows[0]?.N,
      snowflakeConnId: 'by_password',
    });
    expect((await runOperator(operator, { connections })).result).toEqual([7, 8]);
  });

  test('a session that Snowflake has ended in mid-wait is replaced', async () => {
    await snowflake.stop();
    snowflake = await startAccount({ checks: new CheckScript(['pending', 'pending', 'done']) });
    const { look } = snowflake.queries;
    let looks = 0;
    snowflake.queries.look = async (query) => {
      looks += 1;
      const answer = await look.call(snowflake.queries, query);
      if (looks === 1) snowflake.driver.expireSessions();
      return answer;
    };
    const operator = new SnowflakeOperator({ taskId: 'long', sql: 'select 1 as n', snowflakeConnId: 'by_password' });
    const run = await runOperator(operator, { connections: connectionsTo(snowflake) });
    expect(run.error?.message).toBeUndefined();
    expect(run).toMatchObject({ state: 'success', tries: 1 });
  });

  test.each(['by_password', 'snowflake_default', 'by_token', 'by_oauth'])(
    'it logs in with %s',
    async (snowflakeConnId) => {
      const run = await runOperator(new SnowflakeOperator({ taskId: 'one', sql: 'select 1 as n', snowflakeConnId }), {
        connections,
      });
      expect(run).toMatchObject({ state: 'success', result: [{ N: 1 }] });
    },
  );
});

test.each(['snowflake_default', 'by_token', 'by_oauth'] as const)('the SQL API takes %s', async (snowflakeConnId) => {
  const run = await runOperator(new SnowflakeSqlApiOperator({ taskId: 'one', sql: 'select 1', snowflakeConnId }), {
    connections,
  });
  expect(run).toMatchObject({ state: 'success', tries: 1 });
});

describe('the two hooks', () => {
  test('give rows of the same types, over all partitions', async () => {
    await snowflake.sql(`create table kinds as select range as n, 1.5::double as r, 2.25::decimal(5,2) as d, true as b,
      'x' as t, date '2026-01-02' as day, timestamp '2026-01-02 03:04:05' as at, null::int as nothing from range(25)`);
    const sql = 'select * from kinds order by n';
    const byDriver = new SnowflakeHook(source(connections.by_password), 'c');
    const rows = await byDriver.query(sql);
    await byDriver.close();
    expect(await new SnowflakeSqlApiHook(source(connections.snowflake_default), 'c').query({ sql })).toEqual(rows);
    expect(rows).toHaveLength(25);
    expect(rows[1]).toEqual({
      N: 1,
      R: 1.5,
      D: 2.25,
      B: true,
      T: 'x',
      DAY: new Date('2026-01-02T00:00:00Z'),
      AT: new Date('2026-01-02T03:04:05Z'),
      NOTHING: null,
    });
  });
});

describe('a kill on the worker', () => {
  test.each([
    [
      'SnowflakeSqlApiOperator',
      () => new SnowflakeSqlApiOperator({ taskId: 'job', sql: 'select 1', deferrable: false }),
    ],
    [
      'SnowflakeOperator',
      () =>
        new SnowflakeOperator({ taskId: 'job', sql: 'select 1', snowflakeConnId: 'by_password', deferrable: false }),
    ],
  ])('cancels the query of a %s that holds it', async (_name, make) => {
    await snowflake.stop();
    const checks = new CheckScript(['pending']);
    snowflake = await startAccount({ checks });
    await killAfterFirstCheck(make(), { connections: connectionsTo(snowflake) }, () => checks.checks.length > 0);
    expect(snowflake.queries.cancelled).toEqual(snowflake.queries.submitted);
    expect(snowflake.queries.submitted).toHaveLength(1);
  });
});

/** What a worker does: aborts the code, then asks the same view of the operator to clean up. */
async function killAfterFirstCheck(
  operator: BaseOperator<any, any>,
  options: ConstructorParameters<typeof TestHost>[0],
  hasChecked: () => boolean,
): Promise<void> {
  const stop = new AbortController();
  const replay = new Replay({ taskId: operator.taskId, hop: 0, records: [], save: async () => {} });
  const context = new TestHost(options).context(operator, { tryNumber: 1, signal: stop.signal }, replay);
  const view = bindArgs(operator, { value: operator.args, rendered: [] });
  const execution = Promise.resolve(view.execute(context)).catch(() => 'stopped');
  await until(hasChecked, 'the operator has looked at its query');
  stop.abort(new Error('killed'));
  await execution;
  await view.onKill(context, 'user');
}
