import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configEntries } from '../src/config/config-entries.ts';
import { ConfigError } from '../src/config/config-error.ts';
import { ConfigFileError } from '../src/config/config-file-error.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { nearestName } from '../src/config/nearest-name.ts';
import { SETTING_KEYS, type SettingKey } from '../src/config/settings.ts';
import { defineConfig, type WindhoverConfig } from '../src/index.ts';

/** Each key of the table stands in `WindhoverConfig`; otherwise this names the one that does not. */
type Missing<K> = K extends `${infer Section}.${infer Name}`
  ? Section extends keyof WindhoverConfig
    ? Name extends keyof NonNullable<WindhoverConfig[Section]>
      ? never
      : K
    : K
  : K extends keyof WindhoverConfig
    ? never
    : K;
const missing: [Missing<SettingKey>] extends [never] ? true : Missing<SettingKey> = true;

const PASSWORD = 'pa55w0rd';
const DATABASE_URL = `postgres://windhover:${PASSWORD}@db.example.com:5432/windhover`;

let projectRoot: string;

beforeEach(async () => {
  projectRoot = await mkdtemp(join(tmpdir(), 'windhover-config-'));
});

afterEach(() => rm(projectRoot, { recursive: true }));

type Env = Record<string, string | undefined>;

async function load(config: WindhoverConfig | string | null, env: Env = {}) {
  const text = typeof config === 'string' ? config : `export default ${JSON.stringify(config)};`;
  if (config !== null) await writeFile(join(projectRoot, 'windhover.config.mjs'), text);
  return loadConfig({ projectRoot, env });
}

/** The messages of all problems, each with its origin. */
async function problemsOf(config: unknown, env: Env = {}): Promise<string[]> {
  const error = await load(config as WindhoverConfig, env).then(
    () => new Error('nothing was wrong'),
    (thrown) => thrown,
  );
  if (!(error instanceof ConfigError)) throw error;
  for (const { message } of error.problems) expect(error.message).toContain(message);
  return error.problems.map(({ origin, message }) => `${origin}: ${message}`);
}

describe('loadConfig', () => {
  test('without a file everything has its default', async () => {
    expect(missing).toBe(true);
    expect(await load(null)).toEqual({
      projectRoot,
      file: null,
      database: { url: null, poolSize: 10 },
      executors: ['local'],
      executorOptions: { local: { parallelism: 4, recycleAfterTasks: 1_000 } },
      dags: { folder: join(projectRoot, 'dags'), parseTimeoutMs: 30_000, scanIntervalMs: 30_000 },
      api: { host: '127.0.0.1', port: 8_793, baseUrl: null },
      scheduler: { heartbeatMs: 5_000, leaseMs: 30_000, maxActiveRuns: 1_000 },
      triggerer: { capacity: 1_000, queues: ['default'], leaseMs: 30_000 },
      logs: { store: { use: 'file', options: {} }, folder: join(projectRoot, '.windhover/logs') },
      xcom: { maxSizeBytes: 1_048_576, backend: null },
      secrets: { backends: [] },
      signals: { service: { use: 'database', options: {} } },
      secretKeys: null,
    });
  });

  test('takes what the file says', async () => {
    const config = await load({
      database: { url: DATABASE_URL },
      executors: ['celery', 'local', '@acme/nomad#NomadExecutor'],
      local: { parallelism: 0 },
      celery: { brokerUrl: 'redis://localhost' },
      '@acme/nomad#NomadExecutor': { 'job.region': 'eu' },
      dags: { folder: '/srv/dags', parseTimeout: { minutes: 2 } },
      triggerer: { queues: ['default', 'heavy'] },
      logs: { store: { use: '@windhover/provider-amazon/s3#S3LogStore', options: { bucket: 'b' } } },
      xcom: { maxSize: '1.5kB', backend: 's3' },
      secrets: { backends: ['vault'] },
    });
    expect(config.file).toBe(join(projectRoot, 'windhover.config.mjs'));
    expect(config.database).toEqual({ url: DATABASE_URL, poolSize: 10 });
    expect(config.executors).toEqual(['celery', 'local', '@acme/nomad#NomadExecutor']);
    expect(config.executorOptions).toEqual({
      local: { parallelism: 0, recycleAfterTasks: 1_000 },
      celery: { brokerUrl: 'redis://localhost' },
      '@acme/nomad#NomadExecutor': { 'job.region': 'eu' },
    });
    expect(config.dags).toMatchObject({ folder: '/srv/dags', parseTimeoutMs: 120_000 });
    expect(config.triggerer.queues).toEqual(['default', 'heavy']);
    expect(config.logs.store).toEqual({ use: '@windhover/provider-amazon/s3#S3LogStore', options: { bucket: 'b' } });
    expect(config.xcom).toEqual({ maxSizeBytes: 1_536, backend: { use: 's3', options: {} } });
    expect(config.secrets.backends).toEqual([{ use: 'vault', options: {} }]);
  });

  test('the environment goes before the file', async () => {
    const config = await load(
      { api: { port: 1, host: 'filehost' }, executors: ['local', 'celery'] },
      {
        WINDHOVER_API__PORT: '9001',
        WINDHOVER_API__BASE_URL: 'https://windhover.example.com',
        WINDHOVER_DAGS__PARSE_TIMEOUT: '1m',
        WINDHOVER_DAGS__SCAN_INTERVAL: '{"seconds":5}',
        WINDHOVER_DATABASE_URL: DATABASE_URL,
        WINDHOVER_EXECUTOR: 'kubernetes',
        WINDHOVER_KUBERNETES__NAMESPACE: 'windhover',
        WINDHOVER_KUBERNETES__POD_COUNT: '8',
        WINDHOVER_LOCAL__RECYCLE_AFTER_TASKS: '5',
        WINDHOVER_TRIGGERER__QUEUES: 'default, heavy',
        WINDHOVER_LOGS__STORE: '{"use":"s3","options":{"bucket":"b"}}',
        WINDHOVER_SECRETS__BACKENDS: 'vault,aws',
        WINDHOVER_XCOM__BACKEND: 'null',
        WINDHOVER_SECRET_KEYS: 'some keys',
      },
    );
    expect(config.api).toEqual({ host: 'filehost', port: 9_001, baseUrl: 'https://windhover.example.com' });
    expect(config.dags).toMatchObject({ parseTimeoutMs: 60_000, scanIntervalMs: 5_000 });
    expect(config.database.url).toBe(DATABASE_URL);
    expect(config.executors).toEqual(['kubernetes']);
    expect(config.executorOptions).toEqual({
      local: { parallelism: 4, recycleAfterTasks: 5 },
      kubernetes: { namespace: 'windhover', podCount: 8 },
    });
    expect(config.triggerer.queues).toEqual(['default', 'heavy']);
    expect(config.logs.store).toEqual({ use: 's3', options: { bucket: 'b' } });
    expect(config.secrets.backends.map(({ use }) => use)).toEqual(['vault', 'aws']);
    expect(config.xcom.backend).toBeNull();
    expect(config.secretKeys).toBe('some keys');
  });

  test('one executor is short for a list of one', async () => {
    expect((await load({ executor: 'celery' })).executors).toEqual(['celery']);
    const env = { WINDHOVER_EXECUTORS: 'local,celery' };
    expect((await load({ executor: 'kubernetes' }, env)).executors).toEqual(['local', 'celery']);
  });

  test('variables that are empty, or belong to others, say nothing', async () => {
    const env = {
      WINDHOVER_API__PORT: '',
      WINDHOVER_SECRET_KEYS: '',
      WINDHOVER_CONN_MY__DB: 'postgres://x',
      WINDHOVER_VAR_MY__VALUE: '1',
      WINDHOVER_TEST_DATABASE_URL: 'postgres://x',
      API__PORT: '5',
    };
    expect(await load(null, env)).toEqual(await load(null));
  });

  test('the result is frozen all the way down', async () => {
    const config = await load({ celery: { nested: { deep: [1] } }, secrets: { backends: ['vault'] } });
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    expect(isFrozen(config)).toBe(true);
  });

  test('functions in the options of an executor stay functions', async () => {
    const config = await load('export default { kubernetes: { mutatePod: (pod) => pod } };');
    expect(config.executorOptions.kubernetes?.mutatePod).toBeTypeOf('function');
  });

  test('reads a TypeScript file, in a plain Node, too', async () => {
    const root = new URL('./fixtures/project/', import.meta.url);
    const config = await loadConfig({ projectRoot: root.pathname, env: {} });
    expect(config).toMatchObject({ api: { port: 9_000 }, dags: { parseTimeoutMs: 60_000 } });
    const module = new URL('../src/config/load-config.ts', import.meta.url).href;
    const script = `import(${JSON.stringify(module)}).then((m) => m.loadConfig({ projectRoot: ${JSON.stringify(root.pathname)}, env: {} })).then((c) => console.log(c.api.port))`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=development', '-e', script]);
    expect(stdout.trim()).toBe('9000');
  });
});

describe('a wrong configuration', () => {
  test.each<[string, unknown, Env, string]>([
    [
      'a misspelt key',
      { dags: { foldr: 'x' } },
      {},
      'windhover.config.mjs: "dags.foldr" is no setting. Did you mean "dags.folder"?',
    ],
    [
      'a misspelt section',
      { shceduler: {} },
      {},
      'windhover.config.mjs: "shceduler" is no setting. Did you mean "scheduler"?',
    ],
    [
      'a key in the wrong section',
      { scheduler: { capacity: 1 } },
      {},
      'windhover.config.mjs: "scheduler.capacity" is no setting. Did you mean "triggerer.capacity"?',
    ],
    [
      'a key without its section',
      { port: 1 },
      {},
      'windhover.config.mjs: "port" is no setting. Did you mean "api.port"?',
    ],
    [
      'a key like no other',
      { api: { zebra: 1 } },
      {},
      'windhover.config.mjs: "api.zebra" is no setting. There are: api.host, api.port, api.baseUrl.',
    ],
    [
      'an option that the local executor lacks',
      { local: { parallelsm: 1 } },
      {},
      'windhover.config.mjs: "local.parallelsm" is no setting. Did you mean "local.parallelism"?',
    ],
    [
      'options of an executor that is not used',
      { nomad: {} },
      {},
      'windhover.config.mjs: "nomad" is no setting. There are: database, local, dags, api, scheduler, triggerer, logs, xcom, secrets, signals, executor, executors, celery, kubernetes, and each executor that "executors" names.',
    ],
    [
      'secret keys in the file',
      { secretKeys: ['x'] },
      {},
      'windhover.config.mjs: "secretKeys" is no setting. Secret keys do not belong in a file: set WINDHOVER_SECRET_KEYS.',
    ],
    [
      'a section that is no object',
      { api: 8793 },
      {},
      'windhover.config.mjs: "api" is 8793; expected an object with host, port, baseUrl.',
    ],
    [
      'a wrong type',
      { api: { port: '80' } },
      {},
      'windhover.config.mjs: "api.port" is "80"; expected a whole number from 0 to 65535.',
    ],
    [
      'a number out of range',
      { api: { port: 70_000 } },
      {},
      'windhover.config.mjs: "api.port" is 70000; expected a whole number from 0 to 65535.',
    ],
    [
      'a duration without a unit',
      { dags: { parseTimeout: 30 } },
      {},
      'windhover.config.mjs: "dags.parseTimeout" is 30; expected a duration longer than nothing, such as "500ms", "30s", "5m" or { minutes: 5 }.',
    ],
    [
      'a size without a unit',
      { xcom: { maxSize: '1' } },
      {},
      'windhover.config.mjs: "xcom.maxSize" is "1"; expected a size such as "512kB" or "1MB".',
    ],
    [
      'a classpath that is none',
      { signals: { service: './x.ts#Y' } },
      {},
      'windhover.config.mjs: "signals.service" is "./x.ts#Y"; expected an alias, a classpath, or { use: "<alias or classpath>", options: { … } }.',
    ],
    [
      'no executor',
      { executors: [] },
      {},
      'windhover.config.mjs: "executors" is []; expected a list of aliases such as "local", or classpaths, not empty, each of them once.',
    ],
    [
      'an executor twice',
      { executors: ['local', 'local'] },
      {},
      'windhover.config.mjs: "executors" is ["local","local"]; expected a list of aliases such as "local", or classpaths, not empty, each of them once.',
    ],
    [
      'both forms of executors',
      { executor: 'local', executors: ['celery'] },
      {},
      'windhover.config.mjs: "executor" and "executors" are both set. Keep "executors", with the default one first.',
    ],
    [
      'a lease that a heartbeat cannot renew',
      { scheduler: { lease: '5s' } },
      {},
      'windhover.config.mjs: "scheduler.lease" must be longer than "scheduler.heartbeat", or a living scheduler loses its runs.',
    ],
    [
      'a wrong value in the environment',
      {},
      { WINDHOVER_API__PORT: '80x' },
      'WINDHOVER_API__PORT: its value is "80x"; expected a whole number from 0 to 65535.',
    ],
    [
      'a misspelt variable',
      {},
      { WINDHOVER_API__PROT: '80' },
      'WINDHOVER_API__PROT: there is no such setting. Did you mean WINDHOVER_API__PORT?',
    ],
    [
      'one underscore in place of two',
      {},
      { WINDHOVER_API_PORT: '80' },
      'WINDHOVER_API_PORT: there is no such setting. Did you mean WINDHOVER_API__PORT, with two underscores?',
    ],
    [
      'a misspelt short variable',
      {},
      { WINDHOVER_SECRET_KEY: 'x' },
      'WINDHOVER_SECRET_KEY: there is no such setting. Did you mean WINDHOVER_SECRET_KEYS?',
    ],
    [
      'a variable like no other',
      {},
      { WINDHOVER_ZEBRA__STRIPES: '1' },
      'WINDHOVER_ZEBRA__STRIPES: there is no such setting. Settings begin with: WINDHOVER_DATABASE__, WINDHOVER_LOCAL__, WINDHOVER_DAGS__, WINDHOVER_API__, WINDHOVER_SCHEDULER__, WINDHOVER_TRIGGERER__, WINDHOVER_LOGS__, WINDHOVER_XCOM__, WINDHOVER_SECRETS__, WINDHOVER_SIGNALS__.',
    ],
    [
      'two variables for the database',
      {},
      { WINDHOVER_DATABASE_URL: DATABASE_URL, WINDHOVER_DATABASE__URL: DATABASE_URL },
      'WINDHOVER_DATABASE_URL: WINDHOVER_DATABASE__URL is set, too. Set one of the two.',
    ],
  ])('%s', async (_name, config, env, expected) => {
    expect(await problemsOf(config, env)).toEqual([expected]);
  });

  test('all problems are listed', async () => {
    const problems = await problemsOf(
      { api: { port: 'x', hots: 'y' }, dags: { parseTimeout: '0s' } },
      { WINDHOVER_TRIGGERER__CAPACITY: 'many' },
    );
    expect(problems).toHaveLength(4);
  });

  test.each([
    [{ database: { url: `mysql://root:${PASSWORD}@db/x` } }, {}],
    [{ database: { url: 5, poolSize: DATABASE_URL } }, {}],
    [{ api: { host: ['x', { password: PASSWORD }] } }, {}],
    [{ api: { baseUrl: `ftp://user:${PASSWORD}@host` } }, {}],
    [{ logs: { store: { use: 5, options: { secretKey: PASSWORD } } } }, {}],
    [{}, { WINDHOVER_DATABASE_URL: `host=db password=${PASSWORD}` }],
  ])('a secret is not shown (%#)', async (config, env) => {
    const problems = await problemsOf(config, env as Env);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join('\n')).not.toContain(PASSWORD);
  });

  test('a file that throws, exports nothing or stands beside another is named', async () => {
    await expect(load('throw new Error("no luck");')).rejects.toMatchObject({
      code: 'E_CONFIG_FILE',
      message: expect.stringContaining('no luck'),
      cause: expect.anything(),
    });
    await rm(projectRoot, { recursive: true });
    projectRoot = await mkdtemp(join(tmpdir(), 'windhover-config-'));
    await expect(load('export const config = {};')).rejects.toThrow('export default defineConfig');
    await writeFile(join(projectRoot, 'windhover.config.ts'), 'export default {};');
    await expect(load({})).rejects.toThrow(ConfigFileError);
  });
});

describe('configEntries', () => {
  test('tells each value, where it came from, and how to set it', async () => {
    const config = await load(
      {
        executor: 'celery',
        celery: { brokerUrl: `amqp://u:${PASSWORD}@mq`, concurrency: 4 },
        dags: { parseTimeout: '1m' },
      },
      {
        WINDHOVER_DATABASE_URL: DATABASE_URL,
        WINDHOVER_API__PORT: '1',
        WINDHOVER_SECRET_KEYS: PASSWORD,
        WINDHOVER_CELERY__API_TOKEN: PASSWORD,
      },
    );
    const entries = configEntries(config);
    const entry = (key: string) => entries.find((candidate) => candidate.key === key);
    expect(entry('api.host')).toEqual({
      key: 'api.host',
      value: '"127.0.0.1"',
      source: 'default',
      origin: null,
      variable: 'WINDHOVER_API__HOST',
    });
    expect(entry('api.port')).toMatchObject({ value: '1', source: 'environment', origin: 'WINDHOVER_API__PORT' });
    expect(entry('dags.parseTimeout')).toMatchObject({
      value: '"1m"',
      source: 'file',
      origin: 'windhover.config.mjs',
      variable: 'WINDHOVER_DAGS__PARSE_TIMEOUT',
    });
    expect(entry('executors')).toMatchObject({ value: '["celery"]', source: 'file' });
    expect(entry('executor')).toBeUndefined();
    expect(entry('celery.concurrency')).toMatchObject({ value: '4', variable: 'WINDHOVER_CELERY__CONCURRENCY' });
    expect(entry('celery.brokerUrl')?.value).toBe('"amqp://u:***@mq"');
    expect(entry('celery.apiToken')?.value).toBe('"***"');
    expect(entry('database.url')).toMatchObject({
      value: '"postgres://windhover:***@db.example.com:5432/windhover"',
      origin: 'WINDHOVER_DATABASE_URL',
    });
    expect(entry('secretKeys')).toMatchObject({ value: '"***"', source: 'environment' });
    expect(JSON.stringify(entries)).not.toContain(PASSWORD);
  });

  test('lists every setting once', async () => {
    const keys = configEntries(await load(null)).map(({ key }) => key);
    expect(keys).toEqual([...SETTING_KEYS.filter((key) => key !== 'executor'), 'secretKeys']);
  });

  test('passwords with signs of their own are masked whole', async () => {
    const config = await load(null, {
      WINDHOVER_DATABASE_URL: `postgres://u:a@b/${PASSWORD}@db/x?sslpassword=${PASSWORD}`,
    });
    expect(configEntries(config)[0]!.value).toBe('"postgres://u:***@db/x?sslpassword=***"');
  });
});

describe('defineConfig', () => {
  test('is the object itself', () => {
    const config: WindhoverConfig = { api: { port: 1 } };
    expect(defineConfig(config)).toBe(config);
  });

  test('does not compile with a wrong key or type', () => {
    // @ts-expect-error: a misspelt key
    defineConfig({ api: { prot: 1 } });
    // @ts-expect-error: a duration without a unit
    defineConfig({ dags: { parseTimeout: 30 } });
    // @ts-expect-error: a size without a unit
    defineConfig({ xcom: { maxSize: '1' } });
    defineConfig({ '@acme/x#Executor': { any: 'thing' } });
  });
});

describe('nearestName', () => {
  test('a name with one letter changed, left out, added or swapped is found', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SETTING_KEYS),
        fc.nat(),
        fc.constantFrom('change', 'drop', 'add', 'swap'),
        (key, at, how) => {
          const i = at % (key.length - 1);
          const changed = {
            change: `${key.slice(0, i)}#${key.slice(i + 1)}`,
            drop: key.slice(0, i) + key.slice(i + 1),
            add: `${key.slice(0, i)}#${key.slice(i)}`,
            swap: key.slice(0, i) + key[i + 1] + key[i] + key.slice(i + 2),
          }[how];
          const nearest = nearestName(changed, SETTING_KEYS);
          expect([key, 'executor', 'executors']).toContain(nearest);
        },
      ),
    );
  });

  test('a name like no other finds none', () => {
    expect(nearestName('zebra', ['host', 'port'])).toBeNull();
    expect(nearestName('host', [])).toBeNull();
  });
});
