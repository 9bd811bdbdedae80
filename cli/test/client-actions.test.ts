import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callCli } from './support/call-cli.ts';
import { backfill, connection, dag, dagRun, pool, RUN_ID, variable } from './support/sample-answers.ts';
import { problem, StubApi } from './support/stub-api.ts';

let stub: StubApi;
const RUN = `/dags/hello/runs/${RUN_ID}`;
const TASK = `${RUN}/tasks/extract`;

beforeEach(async () => {
  stub = await StubApi.start();
});

afterEach(() => stub.close());

describe.each([
  [
    'dags pause hello',
    'PATCH',
    '/dags/hello',
    dag({ isPaused: true }),
    { isPaused: true },
    'Paused hello',
    'windhover dags unpause hello',
  ],
  [
    'dags unpause hello',
    'PATCH',
    '/dags/hello',
    dag(),
    { isPaused: false },
    'Unpaused hello',
    'windhover dags runs hello',
  ],
  [
    `runs mark hello ${RUN_ID} failed`,
    'PATCH',
    RUN,
    dagRun({ state: 'failed' }),
    { state: 'failed' },
    `Marked run ${RUN_ID} of hello as failed.`,
    `windhover runs show hello ${RUN_ID}`,
  ],
  [
    `runs clear hello ${RUN_ID} --only-failed`,
    'POST',
    `${RUN}/clear`,
    { taskIds: ['a', 'b'] },
    { onlyFailed: true },
    `Cleared 2 tasks of run ${RUN_ID} of hello: a, b.`,
    `windhover runs show hello ${RUN_ID}`,
  ],
  [
    `runs clear hello ${RUN_ID} --task a b --upstream --downstream --dry-run`,
    'POST',
    `${RUN}/clear`,
    { taskIds: ['a'] },
    { taskIds: ['a', 'b'], upstream: true, downstream: true, dryRun: true },
    'Would clear 1 task',
    '',
  ],
  [
    `tasks clear hello ${RUN_ID} extract`,
    'POST',
    `${TASK}/clear`,
    { taskIds: ['extract'] },
    { downstream: true },
    'Cleared 1 task',
    'windhover runs show',
  ],
  [
    `tasks clear hello ${RUN_ID} extract --upstream --no-downstream`,
    'POST',
    `${TASK}/clear`,
    { taskIds: [] },
    { upstream: true, downstream: false },
    'No task of run',
    '',
  ],
  [
    `tasks run hello ${RUN_ID} extract`,
    'POST',
    `${TASK}/clear`,
    { taskIds: ['extract'] },
    { downstream: false },
    'Started again 1 task',
    'windhover runs show',
  ],
  [
    `tasks mark hello ${RUN_ID} extract skipped`,
    'PATCH',
    TASK,
    { taskIds: ['extract'] },
    { state: 'skipped' },
    'Marked as skipped 1 task',
    'windhover runs show',
  ],
  [
    `tasks retry hello ${RUN_ID} extract`,
    'POST',
    `${TASK}/retry`,
    { taskIds: ['extract'] },
    {},
    'Retrying 1 task',
    'windhover runs show',
  ],
  [
    `tasks stop hello ${RUN_ID} extract`,
    'POST',
    `${TASK}/stop`,
    { taskIds: ['extract'] },
    {},
    'Stopping 1 task',
    'windhover runs show',
  ],
  [
    'pools set warehouse 8 --include-deferred --description queries',
    'PUT',
    '/pools/warehouse',
    pool,
    { slots: 8, includeDeferred: true, description: 'queries' },
    'Pool warehouse has 8 slots.',
    'windhover pools show warehouse',
  ],
  [
    'variables set region eu',
    'PUT',
    '/variables/region',
    variable,
    { value: 'eu' },
    'Set variable region.',
    'windhover variables get region',
  ],
  [
    'backfill pause 7',
    'POST',
    '/backfills/7/pause',
    backfill(26, { isPaused: true }),
    {},
    'Paused backfill 7 of hello.',
    'windhover backfill resume 7',
  ],
  [
    'backfill cancel 7',
    'POST',
    '/backfills/7/cancel',
    backfill(26),
    {},
    'Cancelled backfill 7 of hello.',
    'windhover backfill show 7',
  ],
  [
    'backfill resume 7 --detach',
    'POST',
    '/backfills/7/resume',
    backfill(26),
    {},
    'Resumed backfill 7 of hello.',
    'windhover backfill show 7',
  ],
])('%s', (command, method, path, answer, body, did, next) => {
  test('asks the server for it, and says what was done and what comes next', async () => {
    stub.on(method, path, () => ({ body: answer }));
    const { stdout, stderr, exitCode } = await callCli(stub, command.split(' '));
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stub.requestsTo(method, path)[0]!.body).toEqual(body);
    expect(stdout).toContain(did);
    expect(stdout).toContain(next);
  });

  test('with --json prints the answer', async () => {
    stub.on(method, path, () => ({ body: answer }));
    const { stdout } = await callCli(stub, [...command.split(' '), '--json']);
    expect(JSON.parse(stdout)).toEqual(answer);
  });
});

test('a pool may have no limit', async () => {
  stub.on('PUT', '/pools/warehouse', () => ({ body: { ...pool, slots: -1 } }));
  const { stdout } = await callCli(stub, ['pools', 'set', 'warehouse', '-1']);
  expect(stub.requestsTo('PUT', '/pools/warehouse')[0]!.body).toEqual({ slots: -1 });
  expect(stdout).toContain('Pool warehouse has slots without limit.');
});

test.each([
  ['pools', 'warehouse'],
  ['connections', 'warehouse'],
  ['variables', 'region'],
])('%s delete', async (what, name) => {
  stub.on('DELETE', `/${what}/${name}`, () => ({}));
  expect((await callCli(stub, [what, 'delete', name])).stdout).toMatch(new RegExp(`^Deleted \\w+ ${name}\\.`));
  expect(JSON.parse((await callCli(stub, [what, 'delete', name, '--json'])).stdout)).toEqual({ deleted: name });
});

test('dags trigger sends conf and date, and tells the run', async () => {
  const queued = dagRun({ state: 'queued', startedAt: null, endedAt: null });
  stub.on('POST', '/dags/hello/runs', () => ({ status: 201, body: queued })).has('/dags/hello', dag());
  const args = ['dags', 'trigger', 'hello', '--conf', '{"a": {"b": 1}}', '--logical-date', '2026-01-31'];
  const { stdout, stderr } = await callCli(stub, args);
  expect(stub.requestsTo('POST', '/dags/hello/runs')[0]!.body).toEqual({
    conf: { a: { b: 1 } },
    logicalDate: '2026-01-31T00:00:00.000Z',
  });
  expect(stderr).toBe('');
  expect(stdout).toBe(`Triggered hello: run ${RUN_ID} is queued.\nNext: windhover runs show hello ${RUN_ID}\n`);
  expect(JSON.parse((await callCli(stub, ['dags', 'trigger', 'hello', '--json'])).stdout)).toEqual(queued);
});

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T06:30', '2026-01-31T06:30:00.000Z'],
  ['2026-01-31 06:30:15.5', '2026-01-31T06:30:15.500Z'],
  ['2026-01-31T06:30:00+02:00', '2026-01-31T04:30:00.000Z'],
  ['2026-01-31t06:30:00z', '2026-01-31T06:30:00.000Z'],
])('the date %s is %s, whatever the time zone of this machine', async (given, expected) => {
  stub.on('POST', '/dags/hello/runs', () => ({ status: 201, body: dagRun() })).has('/dags/hello', dag());
  await callCli(stub, ['dags', 'trigger', 'hello', '--logical-date', given]);
  expect(stub.requestsTo('POST', '/dags/hello/runs')[0]!.body).toEqual({ logicalDate: expected });
});

test('dags trigger of a paused DAG says that the run will wait', async () => {
  stub.on('POST', '/dags/hello/runs', () => ({ status: 201, body: dagRun({ state: 'queued' }) }));
  stub.has('/dags/hello', dag({ isPaused: true }));
  const { stderr } = await callCli(stub, ['dags', 'trigger', 'hello']);
  expect(stderr).toContain('hello is paused: the run waits until: windhover dags unpause hello');
});

describe('connections add', () => {
  beforeEach(() => {
    stub
      .on('GET', '/connections/new', () => problem(404, 'E_CONNECTION_NOT_FOUND', 'There is none.'))
      .on('PUT', '/connections/new', () => ({ body: connection }));
  });

  test('takes the parts', async () => {
    const parts = ['--type', 'postgres', '--host', 'db', '--port', '5432', '--login', 'etl', '--extra', '{"a": 1}'];
    const { stdout } = await callCli(stub, ['connections', 'add', 'new', ...parts, '--password', 'p']);
    expect(stub.requestsTo('PUT', '/connections/new')[0]!.body).toEqual({
      connType: 'postgres',
      host: 'db',
      port: 5432,
      login: 'etl',
      extra: { a: 1 },
      password: 'p',
    });
    expect(stdout).toContain('windhover connections test new');
  });

  test('reads a URI from standard input, so that no list of processes shows it', async () => {
    await callCli(stub, ['connections', 'add', 'new', '--uri', '-', '--description', 'd'], {
      stdin: 'postgres://u:p@db/x\n',
    });
    expect(stub.requestsTo('PUT', '/connections/new')[0]!.body).toEqual({
      uri: 'postgres://u:p@db/x',
      description: 'd',
    });
  });
});

test('tasks explain prints the sentences', async () => {
  const explanation = {
    state: 'deferred',
    lines: ['It waits for S3KeyTrigger.', 'Next poll in 5 s.'],
    facts: { x: 1 },
  };
  stub.has(`${TASK}/explain`, explanation);
  const { stdout } = await callCli(stub, ['tasks', 'explain', 'hello', RUN_ID, 'extract']);
  expect(stdout).toBe('extract is deferred.\nIt waits for S3KeyTrigger.\nNext poll in 5 s.\n');
  const json = await callCli(stub, ['tasks', 'explain', 'hello', RUN_ID, 'extract', '--json']);
  expect(JSON.parse(json.stdout)).toEqual(explanation);
});

test('a message of another cannot move the cursor', async () => {
  stub.has(`${TASK}/explain`, { state: 'failed', lines: ['\u001b[2J\u001b[1;1Hgone\r\nforged'], facts: {} });
  const { stdout } = await callCli(stub, ['tasks', 'explain', 'hello', RUN_ID, 'extract']);
  expect(stdout).toBe('extract is failed.\ngone forged\n');
});
