import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callCli } from './support/call-cli.ts';
import { connection, health } from './support/sample-answers.ts';
import { problem, StubApi } from './support/stub-api.ts';

let stub: StubApi;

beforeAll(async () => {
  stub = (await StubApi.start())
    .lists('/pools', [])
    .on('GET', '/dags/none', () => problem(404, 'E_DAG_NOT_FOUND', 'There is no DAG "none". See: windhover dags list.'))
    .on('GET', '/dags/none/runs', () => problem(404, 'E_DAG_NOT_FOUND', 'There is no DAG "none".'))
    .on('POST', '/dags/twice/runs', () =>
      problem(409, 'E_DAG_RUN_EXISTS', 'DAG "twice" has the run r1 for this date.', { runId: 'r1' }),
    )
    .on('PUT', '/pools/bad name', () => problem(422, 'E_INVALID_INPUT', 'The request cannot be taken: name: is no id.'))
    .on('GET', '/dags/broken', () =>
      problem(500, 'E_INTERNAL', 'The server failed. Its log says why, at request req-9.'),
    )
    .on('GET', '/dags/forbidden', () => problem(403, 'E_FORBIDDEN', 'The token is not for the API.'))
    .on('GET', '/dags/html', () => ({ status: 404, body: '<html>', contentType: 'text/html' }))
    .on('GET', '/health', () => ({ status: 503, body: health('unhealthy'), contentType: 'application/json' }))
    .on('POST', '/connections/warehouse/test', () => ({ body: { ok: false, message: 'no route to host' } }))
    .has('/connections/warehouse', connection);
});

afterAll(() => stub.close());

describe('the exit code', () => {
  test.each([
    [1, ['health'], '', 'The server is unhealthy.'],
    [1, ['connections', 'test', 'warehouse'], '', 'Connection warehouse fails: no route to host'],
    [1, ['dags', 'show', 'broken'], 'error [E_INTERNAL]: The server failed. Its log says why, at request req-9.', ''],
    [2, ['pools', 'set', 'bad name', '1'], 'error [E_INVALID_INPUT]: The request cannot be taken: name: is no id.', ''],
    [3, ['dags', 'show', 'none'], 'error [E_DAG_NOT_FOUND]: There is no DAG "none". See: windhover dags list', ''],
    [3, ['dags', 'runs', 'none'], 'There is no DAG "none".', ''],
    [4, ['dags', 'show', 'forbidden'], 'error [E_FORBIDDEN]: The token is not for the API.', ''],
    [5, ['dags', 'trigger', 'twice'], 'error [E_DAG_RUN_EXISTS]: DAG "twice" has the run r1 for this date.', ''],
    [
      5,
      ['connections', 'add', 'warehouse', '--uri', 'postgres://x'],
      'error [E_CONNECTION_EXISTS]: There is a connection "warehouse" already',
      '',
    ],
    [6, ['dags', 'show', 'html'], 'error [E_API_ANSWER]:', ''],
  ])('is %i for %j, with a clear message', async (expected, args, stderr, stdout) => {
    const result = await callCli(stub, args);
    expect(result.exitCode).toBe(expected);
    expect(result.stderr).toContain(stderr);
    expect(result.stdout).toContain(stdout);
  });

  test('with --json the error is a document of its own, beside the output', async () => {
    const { stdout, stderr, exitCode } = await callCli(stub, ['dags', 'trigger', 'twice', '--json']);
    expect(stdout).toBe('');
    expect(exitCode).toBe(5);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'E_DAG_RUN_EXISTS', status: 409, runId: 'r1' });
  });
});

describe('the token', () => {
  test('that is wrong is refused, and how to pass one is said', async () => {
    const { exitCode, stderr } = await callCli(stub, ['pools', 'list', '--token', 'wrong']);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('error [E_UNAUTHORIZED]: The token is not valid.');
    expect(stderr).toContain('--token or WINDHOVER_API_TOKEN');
  });

  test('of the command line goes before that of the environment', async () => {
    const env = { WINDHOVER_API_URL: 'http://127.0.0.1:1', WINDHOVER_API_TOKEN: 'wrong' };
    const args = ['--url', stub.url, '--token', stub.token, 'pools', 'list'];
    expect((await callCli(stub, args, { env })).exitCode).toBe(0);
  });
});

describe('the server', () => {
  const projectOf = async (standalone: object) => {
    const project = await mkdtemp(join(tmpdir(), 'windhover-cli-project-'));
    await mkdir(join(project, '.windhover'));
    await mkdir(join(project, 'dags', 'deep'), { recursive: true });
    await writeFile(join(project, '.windhover', 'standalone.json'), JSON.stringify(standalone));
    return project;
  };

  test('is the standalone of the project, found from a folder below it', async () => {
    const project = await projectOf({ url: stub.url, token: stub.token, pid: process.pid });
    const { exitCode } = await callCli(stub, ['pools', 'list'], { env: {}, cwd: join(project, 'dags', 'deep') });
    expect(exitCode).toBe(0);
  });

  test('of another address does not get the token of the standalone', async () => {
    const cwd = await projectOf({ url: 'http://127.0.0.1:1', token: stub.token, pid: process.pid });
    const { exitCode } = await callCli(stub, ['pools', 'list', '--url', stub.url], { env: {}, cwd });
    expect(exitCode).toBe(4);
  });

  test('may be named with the path of the API', async () => {
    const args = ['--url', `${stub.url}/api/v1/`, '--token', stub.token, 'pools', 'list'];
    expect((await callCli(stub, args, { env: {} })).exitCode).toBe(0);
  });

  test('that is not known at all: says where it looked and how to start one', async () => {
    const { exitCode, stderr } = await callCli(null, ['pools', 'list']);
    expect(exitCode).toBe(6);
    expect(stderr).toMatch(/error \[E_API_UNREACHABLE\]: No server is known: .*standalone\.json does not exist/);
    expect(stderr).toContain('Start a server with: windhover standalone');
  });

  test('that does not answer: says which one, from where, and why', async () => {
    const gone = await StubApi.start();
    const { url } = gone;
    await gone.close();
    const { exitCode, stderr } = await callCli(null, ['pools', 'list'], { env: { WINDHOVER_API_URL: url } });
    expect(exitCode).toBe(6);
    expect(stderr).toContain(`Cannot reach the server at ${url} (from WINDHOVER_API_URL): nothing listens there.`);
    const cwd = await projectOf({ url, token: 'x', pid: 2 ** 30 });
    const standalone = await callCli(null, ['pools', 'list'], { env: {}, cwd });
    expect(standalone.exitCode).toBe(6);
    expect(standalone.stderr).toContain(`whose process ${2 ** 30} is not running any more`);
  });

  test('with an address that is none is named', async () => {
    const { exitCode, stderr } = await callCli(null, ['pools', 'list', '--url', 'localhost:8793']);
    expect(exitCode).toBe(6);
    expect(stderr).toContain('"localhost:8793" (from --url) is no address');
  });

  test('is not needed for the version', async () => {
    const { exitCode, stdout } = await callCli(null, ['version']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/server +none found/);
  });
});

describe('a wrong command line', () => {
  test.each([
    [['dag'], "unknown command 'dag'", 'Did you mean dags?'],
    [['dags', 'lst'], "unknown command 'lst'", 'Did you mean list?'],
    [['dags', 'trigger', 'x', '--wiat'], "unknown option '--wiat'", 'Did you mean --wait?'],
    [['dags', 'list', '--jsn'], "unknown option '--jsn'", 'Did you mean --json?'],
    [['dags', 'trigger'], "missing required argument 'dagId'", 'See: windhover dags trigger --help'],
    [['runs', 'list', '--state', 'done'], "argument 'done' is invalid", 'Allowed choices are queued, running, success'],
    [['runs', 'list', '--limit', 'x'], "argument 'x' is invalid", 'Write a whole number from 1 on.'],
    [['connections', 'add', 'x'], 'pass either --uri or --type', 'See: windhover connections add --help'],
    [
      ['connections', 'add', 'x', '--uri', 'y', '--host', 'z'],
      "option '--host <host>' cannot be used with option '--uri <uri>'",
      'See:',
    ],
    [['backfill', 'x', '--to', '2026-01-01'], "required option '--from <date>' not specified", 'See:'],
    [['backfill', 'x', '--from', '2026-02-30', '--to', '2026-03-01'], 'There is no such date.', 'Write 2026-01-31'],
    [['backfill', 'x', '--from', 'yesterday', '--to', '2026-03-01'], 'not in the form of ISO 8601', 'Write 2026-01-31'],
    [
      ['backfill', 'x', '--rerun-all', '--rerun-failed', '--from', '2026-01-01', '--to', '2026-01-01'],
      'cannot be used with',
      '--rerun-all',
    ],
    [['dags', 'trigger', 'x', '--conf', '[1]'], 'It is an array, not an object.', '{"region": "eu"}'],
    [['dags', 'trigger', 'x', '--conf', '{"a": 1, b}'], '{"a": 1, b}\n           ^ ', '{"region": "eu"}'],
    [['dags', 'trigger', 'x', '--conf', '{"a": '], '{"a": \n        ^ Unexpected end', '{"region": "eu"}'],
    [['dags'], 'Usage: windhover dags', 'list'],
  ])('%j is a usage error that helps', async (args, ...texts) => {
    const { exitCode, stderr, stdout } = await callCli(stub, args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    for (const text of texts) expect(stderr).toContain(text);
  });
});
