import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callCli } from './support/call-cli.ts';
import {
  attempt,
  backfill,
  connection,
  dag,
  dagDetails,
  dagRun,
  dagRunDetails,
  health,
  importError,
  job,
  pool,
  RUN_ID,
  task,
  variable,
} from './support/sample-answers.ts';
import { StubApi } from './support/stub-api.ts';

let stub: StubApi;
const tasks = [
  task(),
  task({ taskId: 'load', state: 'deferred', endedAt: null, runningMs: 0 }),
  task({ taskId: 'end' }),
];
const runs = [dagRun(), dagRun({ runId: 'b', state: 'failed', reason: 'load failed' }), dagRun({ runId: 'c' })];

beforeAll(async () => {
  const run = `/dags/hello/runs/${RUN_ID}`;
  stub = (await StubApi.start())
    .lists('/dags', [dag(), dag({ dagId: 'paused_one', isPaused: true }), dag({ dagId: 'new', lastRun: null })])
    .has('/dags/hello', dagDetails())
    .lists('/runs', runs)
    .lists('/dags/hello/runs', runs)
    .has(run, dagRunDetails())
    .lists(`${run}/tasks`, tasks)
    .has(`${run}/tasks/extract`, task())
    .lists(`${run}/tasks/extract/attempts`, [attempt])
    .lists('/import-errors', [importError])
    .lists('/pools', [pool])
    .has('/pools/warehouse', pool)
    .lists('/connections', [connection])
    .has('/connections/warehouse', connection)
    .lists('/variables', [variable])
    .has('/variables/region', variable)
    .lists('/backfills', [backfill(26), backfill(60), backfill(0, { isPaused: true })])
    .has('/backfills/7', backfill(26))
    .lists('/jobs', [job])
    .has('/health', health('healthy'))
    .has('/version', { version: '1.2.3' });
});

afterAll(() => stub.close());

/** The table's lines, with the gaps between columns as one bar. */
const cells = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}/g, '|'));

describe('as a table', () => {
  test.each([
    [
      'dags list',
      'DAG|PAUSED|SCHEDULE|NEXT RUN|LAST RUN|TASKS|TAGS|FILE',
      'hello|no|daily at 00:00|2026-01-03T00:00:00Z|success|2|sales|dags/hello.ts',
      4,
    ],
    ['runs list', 'DAG|RUN|STATE|STARTED|TOOK|REASON', `hello|${RUN_ID}|success|2026-01-02T00:00:01Z|1m 05s`, 4],
    ['dags runs hello', 'DAG|RUN|STATE|STARTED|TOOK|REASON', `hello|${RUN_ID}|success|2026-01-02T00:00:01Z|1m 05s`, 4],
    [
      `tasks list hello ${RUN_ID}`,
      'TASK|STATE|TRY|OPERATOR|STARTED|RAN|WAITED|ERROR',
      'extract|success|1/2|ExtractOperator|2026-01-02T00:00:01Z|1.0s|1m 05s',
      4,
    ],
    ['pools list', 'POOL|SLOTS|OCCUPIED|DEFERRED|DEFERRED COUNT|DESCRIPTION', 'warehouse|8|3|1|no|queries', 2],
    [
      'connections list',
      'CONNECTION|TYPE|HOST|LOGIN|PASSWORD|DESCRIPTION',
      'warehouse|postgres|db.example.com:5432|etl|yes',
      2,
    ],
    ['variables list', 'KEY|VALUE|UPDATED', 'region|eu|2026-01-01T00:00:00Z', 2],
    [
      'backfill list',
      'ID|DAG|FROM|TO|STATE|RUNS|FAILED TASKS',
      '7|hello|2026-01-01T00:00:00Z|2026-01-30T00:00:00Z|running|13/30|0',
      4,
    ],
    [
      'jobs',
      'ID|TYPE|STATE|ALIVE|HOST|PID|STARTED|HEARTBEAT',
      '1|scheduler|running|yes|host-1|42|2026-01-01T00:00:00Z|2026-01-01T00:00:05Z',
      2,
    ],
    ['dags import-errors', 'FILE|SINCE|MESSAGE', 'dags/broken.ts:12|2026-01-01T00:00:00Z|Unexpected token', 2],
  ])('%s shows every item of every page', async (command, header, firstRow, lineCount) => {
    const { stdout, stderr } = await callCli(stub, command.split(' '));
    expect(stderr).toBe('');
    const lines = cells(stdout);
    expect(lines.slice(0, 2)).toEqual([header, firstRow]);
    expect(lines).toHaveLength(lineCount);
  });

  test('an empty list says what to do', async () => {
    const empty = (await StubApi.start()).lists('/variables', []);
    const { stdout, exitCode } = await callCli(empty, ['variables', 'list']);
    expect(stdout).toBe('No variables. Set one with: windhover variables set <key> <value>\n');
    expect(exitCode).toBe(0);
    await empty.close();
  });

  test('a list that was cut says so beside the list', async () => {
    const { stdout, stderr } = await callCli(stub, ['runs', 'list', '--limit', '1']);
    expect(cells(stdout)).toHaveLength(2);
    expect(stderr).toContain('--limit 10');
  });

  test('columns are aligned, and there are no colours in a pipe', async () => {
    const { stdout } = await callCli(stub, ['dags', 'list']);
    const starts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.search(/\b(PAUSED|yes|no)\b/));
    expect(new Set(starts).size).toBe(1);
    expect(stdout).not.toContain('\u001b');
  });

  test('on a terminal there are colours, unless NO_COLOR is set, and no line is wider than it', async () => {
    const colourful = await callCli(stub, ['dags', 'list'], { columns: 90 });
    expect(colourful.stdout).toContain('\u001b[32msuccess');
    const env = { WINDHOVER_API_URL: stub.url, WINDHOVER_API_TOKEN: stub.token, NO_COLOR: '1' };
    const { stdout } = await callCli(stub, ['dags', 'list'], { columns: 90, env });
    expect(stdout).not.toContain('\u001b');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(90);
    expect(stdout).toContain('paused_one');
  });
});

describe('with --json', () => {
  test.each([
    ['dags list', [dag(), dag({ dagId: 'paused_one', isPaused: true }), dag({ dagId: 'new', lastRun: null })]],
    ['dags show hello', dagDetails()],
    ['dags import-errors', [importError]],
    ['runs list', runs],
    ['dags runs hello', runs],
    [`runs show hello ${RUN_ID}`, { ...dagRunDetails(), taskInstances: tasks }],
    [`tasks list hello ${RUN_ID}`, tasks],
    [`tasks show hello ${RUN_ID} extract`, { ...task(), attempts: [attempt] }],
    ['pools list', [pool]],
    ['pools show warehouse', pool],
    ['connections list', [connection]],
    ['connections show warehouse', connection],
    ['variables list', [variable]],
    ['variables get region', variable],
    ['backfill show 7', backfill(26)],
    ['jobs', [job]],
    ['health', health('healthy')],
    ['version', { cli: '0.0.0', node: process.version, server: '1.2.3' }],
  ])('%s prints one document, as the API has it', async (command, expected) => {
    const { stdout } = await callCli(stub, [...command.split(' '), '--json']);
    expect(JSON.parse(stdout)).toEqual(expected);
  });
});

describe('one thing', () => {
  test('dags show tells the tasks, and the next command', async () => {
    const { stdout } = await callCli(stub, ['dags', 'show', 'hello']);
    expect(cells(stdout)).toContain('schedule|daily at 00:00');
    expect(cells(stdout)).toContain('load|LoadOperator|extract|all_success|1|default_pool');
    expect(stdout).toContain('Next: windhover dags trigger hello --wait');
  });

  test('runs show tells what a waiting run waits for', async () => {
    const path = `/dags/hello/runs/waiting`;
    stub.has(path, dagRunDetails({ runId: 'waiting', state: 'running' })).lists(`${path}/tasks`, tasks);
    const { stdout } = await callCli(stub, ['runs', 'show', 'hello', 'waiting']);
    expect(cells(stdout)).toContain('load|deferred|1/2|ExtractOperator|2026-01-02T00:00:01Z|1m 05s');
    expect(stdout).toContain('Next: windhover tasks explain hello waiting load');
  });

  test('tasks show tells the attempts', async () => {
    const { stdout } = await callCli(stub, ['tasks', 'show', 'hello', RUN_ID, 'extract']);
    expect(cells(stdout)).toContain('host|host-1, process 42');
    expect(cells(stdout)).toContain('1|1|failed|2026-01-02T00:00:01Z|1.0s|it was too dark');
  });

  test('connections show does not know the password', async () => {
    const { stdout } = await callCli(stub, ['connections', 'show', 'warehouse']);
    expect(cells(stdout)).toContain('password|***');
  });

  test('variables get prints the bare value', async () => {
    expect((await callCli(stub, ['variables', 'get', 'region'])).stdout).toBe('eu\n');
  });

  test('a name with signs of its own reaches the server whole', async () => {
    stub.has('/variables/a/b c?', { ...variable, key: 'a/b c?' });
    expect((await callCli(stub, ['variables', 'get', 'a/b c?'])).stdout).toBe('eu\n');
  });

  test('filters go to the server', async () => {
    await callCli(stub, ['dags', 'list', '--unpaused', '--tag', 'sales', '--search', 'he', '--all']);
    expect(stub.requestsTo('GET', '/dags').at(-1)!.query).toMatchObject({
      paused: 'false',
      tag: 'sales',
      search: 'he',
      all: 'true',
    });
    await callCli(stub, ['runs', 'list', '--state', 'failed', '--type', 'manual', '--backfill', '7']);
    expect(stub.requestsTo('GET', '/runs').at(-1)!.query).toMatchObject({
      state: 'failed',
      runType: 'manual',
      backfillId: '7',
    });
    await callCli(stub, ['runs', 'list', '--dag', 'hello', '--state', 'failed']);
    expect(stub.requestsTo('GET', '/dags/hello/runs').at(-1)!.query).toMatchObject({ state: 'failed' });
  });
});

describe('config', () => {
  const project = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'windhover-cli-config-'));
    await writeFile(join(folder, 'windhover.config.mjs'), 'export default { api: { port: 9000 } };');
    return folder;
  };

  test('list and get read this project, without a server', async () => {
    const cwd = await project();
    const { stdout } = await callCli(null, ['config', 'list'], { cwd });
    expect(cells(stdout)).toContain('api.port|9000|windhover.config.mjs|WINDHOVER_API__PORT');
    expect((await callCli(null, ['config', 'get', 'api.port'], { cwd })).stdout).toBe('9000\n');
    const entry = JSON.parse((await callCli(null, ['config', 'get', 'api.port', '--json'], { cwd })).stdout);
    expect(entry).toMatchObject({ key: 'api.port', value: '9000', source: 'file' });
    const entries = JSON.parse((await callCli(null, ['config', 'list', '--json'], { cwd })).stdout);
    expect(entries).toContainEqual(entry);
  });

  test('a setting that does not exist is not found, and the nearest is named', async () => {
    const { exitCode, stderr } = await callCli(null, ['config', 'get', 'api.prot'], { cwd: await project() });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('Did you mean "api.port"?');
  });
});
