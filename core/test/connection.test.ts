import { deepStrictEqual } from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BaseHook,
  Connection,
  type ConnectionFields,
  ConnectionNotFoundError,
  type ConnectionSource,
  ConnectionUriError,
  connectionVariable,
  type Json,
  serializeError,
} from '../src/index.ts';

const RUNS = { numRuns: 1000 };

/** Any text, with much of what means something in a URI. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..."@:/?#%&=+[]\\!'()* ä€😀"),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  minLength: 1,
  maxLength: 12,
});
const host = fc.oneof(
  text,
  fc.ipV6(),
  fc.ipV4(),
  fc.domain(),
  fc.constantFrom('[::1]', 'fe80::1%eth0', '::', 'Host.Example'),
);
const extraKey = fc.oneof(text, fc.constantFrom('__extra__', '__proto__', 'constructor', ''));
const textExtra = fc
  .array(fc.tuple(extraKey, fc.oneof(text, fc.constant(''))), { maxLength: 4 })
  .map(Object.fromEntries);
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const jsonExtra = fc.array(fc.tuple(extraKey, json), { maxLength: 4 }).map(Object.fromEntries);
const fields = fc.record(
  {
    connType: text,
    host,
    port: fc.integer({ min: 0, max: 65_535 }),
    login: text,
    password: text,
    schema: text,
    extra: fc.oneof(textExtra, jsonExtra),
  },
  { requiredKeys: ['connType'] },
) as fc.Arbitrary<ConnectionFields>;

/** An error as a log would show it, with its causes. */
function shown(error: unknown): string {
  return `${inspect(error, { depth: 10 })} ${JSON.stringify(serializeError(error))}`;
}

describe('the URI of a connection', () => {
  test('leads back to the same fields, whatever they hold', () => {
    fc.assert(
      fc.property(fields, (given) => {
        const connection = new Connection('c', given);
        // Not toStrictEqual: it takes a key `constructor` for the class of the object.
        deepStrictEqual(Connection.fromUri('c', connection.toUri()).toFields(), connection.toFields());
      }),
      { numRuns: 3000 },
    );
  });

  test('is the same again once it has been read and written', () => {
    fc.assert(
      fc.property(fields, (given) => {
        const uri = new Connection('c', given).toUri();
        expect(Connection.fromUri('c', uri).toUri()).toBe(uri);
      }),
      RUNS,
    );
  });

  test('is plain ASCII without spaces, so that it fits into an environment variable', () => {
    fc.assert(
      fc.property(fields, (given) => {
        expect(new Connection('c', given).toUri()).toMatch(/^[\x21-\x7e]+$/);
      }),
      RUNS,
    );
  });

  test('can stand between single quotes in a shell', () => {
    const connection = new Connection('c', { connType: 'x', password: "it's (a) *test*!" });
    expect(connection.toUri()).toBe('x://:it%27s%20%28a%29%20%2atest%2a%21@');
  });

  test.each<[string, ConnectionFields]>([
    [
      'postgres://user:secret@db.example:5432/sales?sslmode=require',
      {
        connType: 'postgres',
        login: 'user',
        password: 'secret',
        host: 'db.example',
        port: 5432,
        schema: 'sales',
        extra: { sslmode: 'require' },
      },
    ],
    ['aws://', { connType: 'aws' }],
    [
      'aws://?region_name=eu-west-1&role_arn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx',
      { connType: 'aws', extra: { region_name: 'eu-west-1', role_arn: 'arn:aws:iam::1:role/x' } },
    ],
    ['aws://AKIA:sec%2Fret@', { connType: 'aws', login: 'AKIA', password: 'sec/ret' }],
    [
      'google-cloud-platform://?key_path=%2Fkeys%2Fkey.json',
      { connType: 'google-cloud-platform', extra: { key_path: '/keys/key.json' } },
    ],
    ['http://:token@api.example', { connType: 'http', password: 'token', host: 'api.example' }],
    ['http://user@api.example/', { connType: 'http', login: 'user', host: 'api.example' }],
    ['redis://[2001:db8::1]:6379/0', { connType: 'redis', host: '2001:db8::1', port: 6379, schema: '0' }],
    ['redis://[::1]', { connType: 'redis', host: '::1' }],
    ['mysql://host:', { connType: 'mysql', host: 'host' }],
    ['mysql://user:p@ss:word@host', { connType: 'mysql', login: 'user', password: 'p@ss:word', host: 'host' }],
    ['mysql://host/a/b', { connType: 'mysql', host: 'host', schema: 'a/b' }],
    ['x://h?flag&a=b=c&&', { connType: 'x', host: 'h', extra: { flag: '', a: 'b=c' } }],
    ['x://h?text=a+b%2Bc', { connType: 'x', host: 'h', extra: { text: 'a b+c' } }],
    ['x://h?a+b=c', { connType: 'x', host: 'h', extra: { 'a b': 'c' } }],
    [
      'x://h?__extra__=%7B%22nested%22%3A+%7B%22on%22%3A+true%7D%7D',
      { connType: 'x', host: 'h', extra: { nested: { on: true } } },
    ],
    ['x://h?a=1&__extra__=%7B%22b%22%3A2%7D', { connType: 'x', host: 'h', extra: { a: '1', b: 2 } }],
  ])('%s is understood as Airflow does', (uri, expected) => {
    expect(Connection.fromUri('c', uri).toFields()).toStrictEqual(expected);
  });

  test('writes texts as parameters, and everything else as one JSON parameter', () => {
    expect(new Connection('c', { connType: 'x', extra: { a: '1', b: 'ü' } }).toUri()).toBe('x://?a=1&b=%C3%BC');
    expect(new Connection('c', { connType: 'x', extra: { a: 1 } }).toUri()).toBe('x://?__extra__=%7B%22a%22%3A1%7D');
  });

  test('keeps the case of a host', () => {
    expect(Connection.fromUri('c', 'x://DB.Example').host).toBe('DB.Example');
  });

  test.each([
    ['a text without a type', 'hunter2', 'it does not begin with a type and "://"'],
    ['an empty text', '', 'it does not begin with a type and "://"'],
    ['a type that is empty', '://hunter2@host', 'it does not begin with a type and "://"'],
    [
      'a percent sign that is none',
      'x://user:hunter2%@host',
      'it holds a "%" that is not part of a percent-encoding such as %40',
    ],
    ['JSON that is none', 'x://h?__extra__=%7Bhunter2', 'its __extra__ parameter is not JSON'],
    ['JSON that is no object', 'x://h?__extra__=%5B%22hunter2%22%5D', 'its __extra__ parameter is not a JSON object'],
    ['JSON that is null', 'x://h?__extra__=null', 'its __extra__ parameter is not a JSON object'],
  ])('is refused for %s, with a form to follow', (_name, uri, reason) => {
    const error = catchError(() => Connection.fromUri('sales_db', uri));
    expect(error).toBeInstanceOf(ConnectionUriError);
    expect(error).toMatchObject({
      connId: 'sales_db',
      message:
        `The URI of connection "sales_db" cannot be read: ${reason}. ` +
        'Write "type://login:password@host:port/schema?key=value", each part percent-encoded where it holds : / ? # @ or %.',
    });
  });

  test.each(['x://h:65536', 'x://h:-1', 'x://h:1e3', 'x://h:0x10', 'x://user:pw@host:port'])(
    '%s is refused, because that is no port',
    (uri) => {
      expect(() => Connection.fromUri('c', uri)).toThrow(/port/);
    },
  );

  test.each([
    ['the host is missing', 'postgres://user:hunter2'],
    ['the host is missing and a path follows', 'postgres://user:hunter2/sales'],
    ['the password holds a slash', 'postgres://user:hunter2/x@host/sales'],
    ['the password holds a question mark', 'postgres://user:hunter2?x@host/sales'],
    ['the password holds a hash', 'postgres://user:hunter2#x@host/sales'],
    ['the password holds a percent sign', 'postgres://user:hunter2%zz@host/sales'],
    ['the port is wrong', 'postgres://user:hunter2@host:99999/sales'],
    ['the type is missing', 'user:hunter2@host'],
    ['the extra is broken JSON', 'x://h?__extra__=%7B%22token%22%3A%22hunter2%22%2C%7D'],
    ['the extra is not quoted', 'x://h?__extra__=hunter2'],
    ['the extra is a list', 'x://h?__extra__=%5B%22hunter2%22%5D'],
  ])('never shows its secret in an error or its causes when %s', (_name, uri) => {
    const error = catchError(() => Connection.fromUri('c', uri));
    expect(error).toBeInstanceOf(ConnectionUriError);
    expect(shown(error)).not.toContain('hunter2');
  });
});

describe('a connection', () => {
  const connection = new Connection('sales_db', {
    connType: 'postgres',
    host: 'db.example',
    login: 'user',
    password: 'hunter2',
    extra: { token: 'swordfish' },
  });

  test('still answers its password and extra to whoever asks', () => {
    expect(connection.password).toBe('hunter2');
    expect(connection.extra).toStrictEqual({ token: 'swordfish' });
    expect(connection.toUri()).toBe('postgres://user:hunter2@db.example?token=swordfish');
  });

  test.each<[string, (value: Connection) => string]>([
    ['String()', String],
    ['a template text', (value) => `${value}`],
    ['JSON.stringify', (value) => JSON.stringify({ value })],
    ['util.inspect', (value) => inspect({ value }, { depth: 10 })],
    ['a copy by spread', (value) => JSON.stringify({ ...value })],
    ['structuredClone', (value) => inspect(structuredClone({ ...value }))],
    ['Object.entries', (value) => JSON.stringify(Object.entries(value))],
  ])('does not show its secrets in %s', (_name, print) => {
    const printed = print(connection);
    expect(printed).toContain('sales_db');
    expect(printed).not.toContain('hunter2');
    expect(printed).not.toContain('swordfish');
  });

  test('is named for people by id, type and host', () => {
    expect(String(connection)).toBe('Connection sales_db (postgres at db.example)');
    expect(String(new Connection('c', { connType: 'aws' }))).toBe('Connection c (aws)');
  });

  test('takes an empty text for a missing one', () => {
    const empty = new Connection('c', { connType: 'x', host: '', login: '', password: '', schema: '', extra: {} });
    expect(empty.toFields()).toStrictEqual({ connType: 'x' });
  });

  test('keeps port 0, which is not the same as none', () => {
    expect(new Connection('c', { connType: 'x', port: 0 }).toFields()).toStrictEqual({ connType: 'x', port: 0 });
  });

  test('is recognized by its brand, also from another copy of core', () => {
    expect(Connection.isInstance(connection)).toBe(true);
    expect(Connection.isInstance({ [Symbol.for('windhover.Connection')]: true })).toBe(true);
    expect(Connection.isInstance({ connId: 'c' })).toBe(false);
    expect(Connection.isInstance(null)).toBe(false);
  });
});

describe('connectionVariable', () => {
  test.each([
    ['aws_default', 'WINDHOVER_CONN_AWS_DEFAULT'],
    ['my-db.eu 1', 'WINDHOVER_CONN_MY_DB_EU_1'],
    ['Größe', 'WINDHOVER_CONN_GR_SSE'],
  ])('turns %s into %s', (connId, variable) => {
    expect(connectionVariable(connId)).toBe(variable);
  });

  test('is named in the error for a missing connection', () => {
    expect(new ConnectionNotFoundError('my-db').message).toContain('WINDHOVER_CONN_MY_DB');
  });
});

describe('a hook', () => {
  class CountingHook extends BaseHook<{ readonly number: number }> {
    made = 0;
    failures: unknown[] = [];
    seen: Connection | undefined;

    protected async createClient(connection: Connection) {
      this.made += 1;
      this.seen = connection;
      if (this.failures.length > 0) throw this.failures.shift();
      return { number: this.made };
    }
  }

  function sourceOf(answer: Connection | Error): ConnectionSource & { readonly asked: string[] } {
    const asked: string[] = [];
    return {
      asked,
      async connection(connId) {
        asked.push(connId);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    };
  }

  const acme = new Connection('acme', { connType: 'acme' });

  test('makes no client before it is asked for one', () => {
    const source = sourceOf(acme);
    const hook = new CountingHook(source, 'acme');
    expect([hook.made, source.asked]).toStrictEqual([0, []]);
  });

  test('makes its client once, from the connection with its id', async () => {
    const source = sourceOf(acme);
    const hook = new CountingHook(source, 'acme');
    const [first, second] = await Promise.all([hook.client(), hook.client()]);
    expect(second).toBe(first);
    expect(await hook.client()).toBe(first);
    expect(hook.made).toBe(1);
    expect(source.asked).toStrictEqual(['acme']);
    expect(hook.seen).toBe(acme);
  });

  test('tries again after a failure', async () => {
    const hook = new CountingHook(sourceOf(acme), 'acme');
    hook.failures = [new Error('busy')];
    await expect(hook.client()).rejects.toThrow('busy');
    await expect(hook.client()).resolves.toStrictEqual({ number: 2 });
  });

  test('fails for all who wait for the same attempt', async () => {
    const hook = new CountingHook(sourceOf(acme), 'acme');
    hook.failures = [new Error('busy')];
    const outcomes = await Promise.allSettled([hook.client(), hook.client()]);
    expect(outcomes.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected']);
    expect(hook.made).toBe(1);
  });

  test('passes on that there is no such connection', async () => {
    const hook = new CountingHook(sourceOf(new ConnectionNotFoundError('acme')), 'acme');
    await expect(hook.client()).rejects.toThrow(ConnectionNotFoundError);
  });

  test('tests a connection by making its client', async () => {
    const hook = new CountingHook(sourceOf(acme), 'acme');
    hook.failures = [new Error('no route'), 'odd'];
    expect(await hook.testConnection()).toStrictEqual({ isSuccess: false, message: 'no route' });
    expect(await hook.testConnection()).toStrictEqual({ isSuccess: false, message: 'odd' });
    expect(await hook.testConnection()).toStrictEqual({ isSuccess: true, message: 'The connection works.' });
  });

  test('is recognized by its brand', () => {
    expect(BaseHook.isInstance(new CountingHook(sourceOf(acme), 'acme'))).toBe(true);
    expect(BaseHook.isInstance({})).toBe(false);
  });
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}
