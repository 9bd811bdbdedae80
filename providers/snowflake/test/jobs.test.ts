import { Connection } from '@windhover/core';
import { testJobOperator, testTrigger } from '@windhover/core/testing';
import { describe, test } from 'vitest';
import {
  SnowflakeOperator,
  SnowflakeQueryTrigger,
  SnowflakeSqlApiHook,
  SnowflakeSqlApiOperator,
  SnowflakeSqlApiTrigger,
  type StatementEnd,
} from '../src/index.ts';
import { SnowflakeHook } from '../src/snowflake-hook.ts';
import { connectionsTo, type SnowflakeBackend, snowflakeBackend } from './support/snowflake-backend.ts';

const load = (specifier: string) => import(specifier);
const QUERY_ID = '01b2c3d4-0000-0000-0000-000000000001';
const events: readonly StatementEnd[] = [
  { status: 'done', queryIds: [QUERY_ID] },
  { status: 'done', queryIds: [QUERY_ID, QUERY_ID] },
  { status: 'failed', queryId: QUERY_ID, error: { code: '000603', message: 'It broke' } },
  { status: 'failed', queryId: QUERY_ID, error: { code: '001003', message: 'Wrong SQL', sqlState: '42000' } },
];

/** As if a task had submitted the query that the trigger waits for. */
async function submitted(backend: SnowflakeBackend, protocol: 'driver' | 'sqlApi'): Promise<SnowflakeBackend> {
  const connections = connectionsTo(backend.snowflake);
  const source = {
    connection: async () =>
      new Connection('c', protocol === 'driver' ? connections.by_password : connections.snowflake_default),
  };
  if (protocol === 'sqlApi') await new SnowflakeSqlApiHook(source, 'c').submit({ sql: 'select 1' }, 'request-1', false);
  else {
    const hook = new SnowflakeHook(source, 'c');
    await hook.submit('select 1', [], '11111111-2222-4333-8444-555555555555');
    await hook.close();
  }
  return backend;
}

describe('SnowflakeSqlApiTrigger', () => {
  for (const { name, run } of testTrigger({
    load,
    interval: '5s',
    backend: async (script, clock) => submitted(await snowflakeBackend('sqlApi')(script, clock), 'sqlApi'),
    trigger: () =>
      new SnowflakeSqlApiTrigger({
        handle: QUERY_ID,
        snowflakeConnId: 'snowflake_default',
        overrides: { role: 'LOADER' },
        tokenOptions: {},
        pollInterval: '5s',
      }),
  }))
    test(name, run);
});

describe('SnowflakeQueryTrigger', () => {
  for (const { name, run } of testTrigger({
    load,
    interval: '5s',
    backend: async (script, clock) => submitted(await snowflakeBackend('driver')(script, clock), 'driver'),
    trigger: () =>
      new SnowflakeQueryTrigger({
        handle: QUERY_ID,
        snowflakeConnId: 'by_password',
        overrides: {},
        pollInterval: '5s',
      }),
  }))
    test(name, run);
});

describe('SnowflakeSqlApiOperator', () => {
  for (const { name, run } of testJobOperator({
    backend: snowflakeBackend('sqlApi'),
    events,
    interval: '5s',
    operator: (_backend, options) => new SnowflakeSqlApiOperator({ sql: 'select 1 as n', ...options }),
  }))
    test(name, run);
});

describe('SnowflakeOperator', () => {
  for (const { name, run } of testJobOperator({
    backend: snowflakeBackend('driver'),
    events,
    interval: '5s',
    operator: (_backend, options) =>
      new SnowflakeOperator({ sql: 'select 1 as n', snowflakeConnId: 'by_password', role: 'LOADER', ...options }),
  }))
    test(name, run);
});
