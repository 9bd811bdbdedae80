import { runOperator, testSensor, VirtualClock } from '@windhover/core/testing';
import { describe, expect, test } from 'vitest';
import { SnowflakeSensor } from '../src/index.ts';
import { connectionsTo, snowflakeBackend, startAccount } from './support/snowflake-backend.ts';

describe('SnowflakeSensor over the SQL API', () => {
  for (const { name, run } of testSensor({
    backend: snowflakeBackend('sqlApi'),
    sensor: (_backend, options) => new SnowflakeSensor({ sql: 'select 7', ...options }),
  }))
    test(name, run);
});

describe('SnowflakeSensor over the driver', () => {
  for (const { name, run } of testSensor({
    backend: snowflakeBackend('driver'),
    // The driver itself tries a busy server again, in real time.
    answers: ['pending', 'done', 'failed'],
    sensor: (_backend, options) => new SnowflakeSensor({ sql: 'select 7', snowflakeConnId: 'by_password', ...options }),
  }))
    test(name, run);
});

test('a query whose value says no is asked again after the interval, and not at once', async () => {
  const [snowflake, clock] = [await startAccount(), new VirtualClock()];
  await snowflake.sql('create table ready as select 0 as n');
  clock.at('150s', async () => void (await snowflake.sql('update ready set n = 5')));
  const sensor = new SnowflakeSensor({ taskId: 'wait', sql: 'select n from ready' });
  const run = await runOperator(sensor, { clock, connections: connectionsTo(snowflake) });
  expect(run).toMatchObject({ state: 'success', result: 5, elapsedMs: 180_000 });
  expect(snowflake.sqlApi.statements).toHaveLength(4);
  await snowflake.stop();
});

test('success and failure are functions of the DAG file, and failure is asked first', async () => {
  const snowflake = await startAccount();
  const connections = connectionsTo(snowflake);
  const outcome = async (options: { success?: (value: unknown) => boolean; failure?: (value: unknown) => boolean }) =>
    runOperator(
      new SnowflakeSensor({ taskId: 'wait', sql: 'select ?', parameters: ['ok'], timeout: '5m', ...options }),
      { connections },
    );
  expect(await outcome({ success: (value) => value === 'ok' })).toMatchObject({ state: 'success', result: 'ok' });
  expect((await outcome({ success: () => true, failure: () => true })).error?.message).toContain(
    'found ok, which its failure',
  );
  expect((await outcome({ success: () => false })).error?.code).toBe('E_SENSOR_TIMEOUT');
  await snowflake.stop();
});

test.each([
  ['0', false],
  ["'0'", false],
  ["''", false],
  ['null', false],
  ['1', true],
  ["'x'", true],
])('%s is found: %s', async (value, isFound) => {
  const snowflake = await startAccount();
  const sensor = new SnowflakeSensor({ taskId: 'wait', sql: `select ${value}`, timeout: '1m', softFail: true });
  const run = await runOperator(sensor, { connections: connectionsTo(snowflake) });
  expect(run.state).toBe(isFound ? 'success' : 'skipped');
  await snowflake.stop();
});

test('no rows fail at once where failOnEmpty is set', async () => {
  const snowflake = await startAccount();
  const sensor = new SnowflakeSensor({ taskId: 'wait', sql: 'select 1 where false', failOnEmpty: true });
  const run = await runOperator(sensor, { connections: connectionsTo(snowflake) });
  expect(run).toMatchObject({ state: 'failed', tries: 1, elapsedMs: 0 });
  expect(run.error?.message).toContain('answered no rows');
  await snowflake.stop();
});
