import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { Connection, type ConnectionFields } from '@windhover/core';
import { runOperator } from '@windhover/core/testing';
import type { Snowflake } from '@windhover/testing-services';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SnowflakeHook, SnowflakeOperator, SnowflakeSqlApiHook, SnowflakeSqlApiOperator } from '../src/index.ts';
import { connectionsTo, startAccount } from './support/snowflake-backend.ts';

let snowflake: Snowflake;
let connections: ReturnType<typeof connectionsTo>;
beforeEach(async () => {
  snowflake = await startAccount();
  connections = connectionsTo(snowflake);
});
afterEach(() => snowflake.stop());

const source = (fields: ConnectionFields) => ({ connection: async (connId: string) => new Connection(connId, fields) });
const foreignKey = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const withExtra = (extra: Record<string, string>) => ({
  ...connections.snowflake_default,
  extra: { ...connections.by_password.extra, ...extra },
});

describe('testConnection', () => {
  test('says that Snowflake answers, by the driver and by the SQL API', async () => {
    expect(await new SnowflakeHook(source(connections.by_password), 'sf').testConnection()).toEqual({
      isSuccess: true,
      message: 'Snowflake answers.',
    });
    expect(snowflake.driver.openSessions).toBe(0);
    expect(await new SnowflakeSqlApiHook(source(connections.by_token), 'sf').testConnection()).toEqual({
      isSuccess: true,
      message: 'Snowflake answers over its SQL API.',
    });
  });

  test('says what is wrong', async () => {
    const wrong = { ...connections.by_password, password: 'wrong' };
    expect(await new SnowflakeHook(source(wrong), 'sf').testConnection()).toEqual({
      isSuccess: false,
      message:
        'Cannot log in with connection "sf" (390100): Incorrect username or password was specified. ' +
        'Check login, password, key or token of the connection.',
    });
    const nameless = await new SnowflakeHook(source({ connType: 'snowflake' }), 'sf').testConnection();
    expect(nameless.message).toContain('It names no account.');
  });
});

describe('the SQL API says for', () => {
  const messageOf = async (fields: ConnectionFields) =>
    (await new SnowflakeSqlApiHook(source(fields), 'sf').testConnection()).message;

  test('a password, that it takes none', async () => {
    expect(await messageOf(connections.by_password)).toContain(
      'The SQL API takes no password: the connection needs privateKeyFile, privateKeyContent or token.',
    );
  });

  test('a key that is not the user’s', async () => {
    expect(await messageOf(withExtra({ privateKeyContent: foreignKey() }))).toBe(
      'Cannot run a query with connection "sf" (390144): JWT token is invalid. ' +
        'Check that the public key is assigned to this user, and that account and user are right.',
    );
  });

  test('a key that is none, without the key', async () => {
    const message = await messageOf(withExtra({ privateKeyContent: 'hidden' }));
    expect(message).toContain('The private key cannot be used');
    expect(message).not.toContain('hidden');
  });

  test('a key file that is not there', async () => {
    expect(await messageOf(withExtra({ privateKeyFile: '/nowhere/key.p8' }))).toContain(
      'Its privateKeyFile cannot be read: ENOENT',
    );
  });

  test('a token that is not taken', async () => {
    expect(await messageOf(withExtra({ token: 'expired', authenticator: 'OAUTH' }))).toContain(
      '(390303): Invalid OAuth access token. Check login, password, key or token of the connection.',
    );
  });

  test('a host that cannot be reached', async () => {
    expect(await messageOf(withExtra({ token: 'pat-1', accessUrl: 'http://127.0.0.1:9' }))).toMatch(
      /^Cannot run a query with connection "sf": .*ECONNREFUSED.* Check the network, and the account of the connection\.$/,
    );
  });

  test('a statement it does not know', async () => {
    const hook = new SnowflakeSqlApiHook(source(connections.by_token), 'sf');
    await expect(hook.finishedStatement('nope')).rejects.toThrow(
      'Cannot look up statement nope with connection "sf" (391918): Statement handle nope not found. ' +
        'Snowflake keeps a statement for 24 hours',
    );
    await expect(hook.cancel('nope')).resolves.toBeUndefined();
  });
});

test('the driver says for a query it does not know', async () => {
  const hook = new SnowflakeHook(source(connections.by_password), 'sf');
  await expect(hook.finishedQuery('01b2c3d4-0000-0000-0000-00000000ffff')).rejects.toThrow(
    'Snowflake knows nothing of it',
  );
  await hook.close();
});

test('a wrong password fails the task with that message, and is not tried for ever', async () => {
  const wrong = { ...connections.by_password, password: 'wrong' };
  const operator = new SnowflakeOperator({ taskId: 'one', sql: 'select 1', snowflakeConnId: 'wrong', retries: 3 });
  const run = await runOperator(operator, { connections: { wrong } });
  expect(run).toMatchObject({ state: 'failed', tries: 1, error: { code: 'E_SNOWFLAKE' } });
  expect(run.error?.message).toContain('Cannot log in with connection "wrong" (390100)');
});

test('a role given to the task reaches login, submission and trigger', async () => {
  const role = 'OWNER';
  await runOperator(new SnowflakeOperator({ taskId: 'one', sql: 'select 1', snowflakeConnId: 'by_password', role }), {
    connections,
  });
  expect(new Set(snowflake.driver.callers)).toEqual(new Set(['loader/OWNER']));
  await runOperator(new SnowflakeSqlApiOperator({ taskId: 'one', sql: 'select 1', role }), { connections });
  expect(snowflake.sqlApi.statements).toMatchObject([{ role }]);
});

test('reading a DAG file loads neither the driver nor an HTTP client', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { SnowflakeOperator, SnowflakeSensor } = await import('@windhover/provider-snowflake');
    new SnowflakeOperator({ taskId: 'a', sql: 'select 1' });
    new SnowflakeSensor({ taskId: 'b', sql: 'select 1' });
    console.log(JSON.stringify(loaded));`;
  const cwd = new URL('..', import.meta.url);
  const args = ['--conditions=development', '--input-type=module', '--eval', script];
  const loaded = JSON.parse(execFileSync(process.execPath, args, { cwd, encoding: 'utf8' })) as string[];
  expect(loaded.some((url) => url.endsWith('snowflake-operator.ts'))).toBe(true);
  expect(loaded.filter((url) => url.includes('node_modules'))).toEqual([]);
});
