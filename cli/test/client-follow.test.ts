import { stripVTControlCharacters } from 'node:util';
import { until } from '@windhover/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callCli } from './support/call-cli.ts';
import { backfill, dag, dagRun, dagRunDetails, RUN_ID, task } from './support/sample-answers.ts';
import { StubApi } from './support/stub-api.ts';

let stub: StubApi;
const RUN = `/dags/hello/runs/${RUN_ID}`;
const LOGS = `${RUN}/tasks/extract/logs`;

beforeEach(async () => {
  stub = (await StubApi.start()).has('/dags/hello', dag());
});

afterEach(() => stub.close());

describe('dags trigger --wait', () => {
  const tasksOf = (...states: Parameters<typeof task>[0][]) => ({
    body: { items: states.map(task), nextCursor: null },
  });
  const failure = { name: 'TypeError', message: 'x is not a function' };

  const runThatEnds = (state: 'success' | 'failed') => {
    stub.on('POST', '/dags/hello/runs', () => ({ status: 201, body: dagRun({ state: 'queued' }) }));
    stub.gives('GET', RUN, [
      { body: dagRunDetails({ state: 'running' }) },
      { body: dagRunDetails({ state: 'running' }) },
      { body: dagRunDetails({ state, reason: state === 'failed' ? 'task load failed' : null }) },
    ]);
    stub.gives('GET', `${RUN}/tasks`, [
      tasksOf({ state: 'running' }, { taskId: 'load', state: 'none' }),
      tasksOf({ state: 'success' }, { taskId: 'load', state: 'running' }),
      tasksOf({ state: 'success' }, { taskId: 'load', state, error: state === 'failed' ? failure : null }),
    ]);
  };

  test('prints the states of the tasks as they change, and ends with the run', async () => {
    runThatEnds('success');
    const { stdout, stderr, exitCode } = await callCli(stub, ['dags', 'trigger', 'hello', '--wait']);
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual([
      `Triggered hello: run ${RUN_ID} is queued.`,
      '  extract: running',
      '  extract: success (1.0s)',
      '  load: running',
      '  load: success (1.0s)',
      `Run ${RUN_ID} of hello succeeded after 1m 05s.`,
      `Next: windhover runs show hello ${RUN_ID}`,
    ]);
    expect(exitCode).toBe(0);
  });

  test('ends with 1 where the run failed, and names the log to read', async () => {
    runThatEnds('failed');
    const { stdout, exitCode } = await callCli(stub, ['dags', 'trigger', 'hello', '--wait']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('  load: failed (1.0s, TypeError: x is not a function)');
    expect(stdout).toContain(`Run ${RUN_ID} of hello failed after 1m 05s: task load failed`);
    expect(stdout).toContain(`Next: windhover tasks logs hello ${RUN_ID} load`);
  });

  test('with --json prints one document, the run as it ended', async () => {
    runThatEnds('failed');
    const { stdout, exitCode } = await callCli(stub, ['dags', 'trigger', 'hello', '--wait', '--json']);
    expect(exitCode).toBe(1);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({ runId: RUN_ID, state: 'failed' });
    expect(document.taskInstances).toHaveLength(2);
  });

  test('on a terminal repaints one line, and leaves the changes', async () => {
    runThatEnds('success');
    const { stdout } = await callCli(stub, ['dags', 'trigger', 'hello', '--wait'], { columns: 100 });
    expect(stripVTControlCharacters(stdout)).toContain('running · 1 of 2 tasks finished · 1 running');
    expect(stripVTControlCharacters(stdout)).toContain('  extract: success (1.0s)\n');
    expect(stdout).toContain('\r\u001b[2K');
  });

  test('outlives a server that is away for a moment', async () => {
    runThatEnds('success');
    stub.gives('GET', RUN, ['hang up', { body: dagRunDetails({ state: 'success' }) }]);
    const { stderr, exitCode } = await callCli(stub, ['dags', 'trigger', 'hello', '--wait']);
    expect(stderr).toContain('The server does not answer; trying again');
    expect(exitCode).toBe(0);
  });

  test('leaves the run alone on Ctrl-C, and says how to see it', async () => {
    const interrupt = new AbortController();
    runThatEnds('success');
    stub.has(RUN, dagRunDetails({ state: 'running' }));
    const result = callCli(stub, ['dags', 'trigger', 'hello', '--wait'], { interrupt: interrupt.signal });
    await until(() => stub.requestsTo('GET', RUN).length > 0, 'the run is followed');
    interrupt.abort();
    const { exitCode, stderr } = await result;
    expect(exitCode).toBe(130);
    expect(stderr).toContain(`The run goes on; see it with: windhover runs show hello ${RUN_ID}`);
  });
});

describe('tasks logs', () => {
  const record = (message: string) => ({ at: '2026-01-01T00:00:00.000Z', level: 'info', message });
  const page = (cursor: string, isOver: boolean, ...records: object[]) => ({
    body: { records, cursor, attempt: 2, isOver },
  });

  test('prints the log so far, over all its pages', async () => {
    const records = [record('one'), { ...record('two'), level: 'error', fields: { key: 'v' } }];
    stub.on('GET', LOGS, ({ query }) => {
      const at = Number(query.cursor ?? 0);
      return page(String(Math.min(at + 1, 2)), false, ...records.slice(at, at + 1));
    });
    const { stdout, exitCode } = await callCli(stub, ['tasks', 'logs', 'hello', RUN_ID, 'extract']);
    expect(stdout).toBe('2026-01-01T00:00:00.000Z INFO    one\n2026-01-01T00:00:00.000Z ERROR   two key="v"\n');
    expect(exitCode).toBe(0);
    expect(stub.requestsTo('GET', LOGS)[0]!.query).toEqual({});
  });

  test('says that there is none', async () => {
    stub.on('GET', LOGS, () => page('0', true));
    const { stdout } = await callCli(stub, ['tasks', 'logs', 'hello', RUN_ID, 'extract', '--attempt', '1']);
    expect(stdout).toBe('This attempt has logged nothing.\n');
    expect(stub.requestsTo('GET', LOGS)[0]!.query).toEqual({ attempt: '1' });
  });

  test('--follow goes on until the attempt is over, and stays with that attempt', async () => {
    stub.gives('GET', LOGS, [
      page('1', false, record('one')),
      page('1', false),
      page('2', false, record('two')),
      'hang up',
      page('3', true, record('three')),
    ]);
    const { stdout, exitCode } = await callCli(stub, [
      'tasks',
      'logs',
      'hello',
      RUN_ID,
      'extract',
      '--follow',
      '--json',
    ]);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).message),
    ).toEqual(['one', 'two', 'three']);
    expect(exitCode).toBe(0);
    const [first, ...others] = stub.requestsTo('GET', LOGS).map(({ query }) => query);
    expect(first).toEqual({ follow: 'true' });
    expect(others.map(({ attempt, cursor }) => `${attempt}:${cursor}`)).toEqual(['2:1', '2:1', '2:2', '2:2']);
  });
});

describe('backfill', () => {
  const RANGE = ['--from', '2026-01-01', '--to', '2026-01-30'];
  const follows = (...states: object[]) =>
    stub
      .on('POST', '/backfills', () => ({ status: 201, body: backfill(0) }))
      .gives(
        'GET',
        '/backfills/7',
        states.map((body) => ({ body })),
      )
      .lists('/runs', []);

  test('prints its progress when it changes, and succeeds', async () => {
    follows(backfill(0), backfill(26), backfill(26), backfill(60));
    const { stdout, exitCode } = await callCli(stub, ['backfill', 'hello', ...RANGE]);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'Created backfill 7 of hello.',
      '[backfill progress: 0.0%] | total dagruns: 30 | total tasks: 60 | finished: 0 | succeeded: 0 | skipped: 0 | failed: 0',
      '[backfill progress: 43.3%] | total dagruns: 30 | total tasks: 60 | finished: 26 | succeeded: 26 | skipped: 0 | failed: 0',
      '[backfill progress: 100.0%] | total dagruns: 30 | total tasks: 60 | finished: 60 | succeeded: 60 | skipped: 0 | failed: 0',
      'Backfill 7 of hello succeeded: 30 runs, after 10m 00s.',
      'Next: windhover runs list --backfill 7',
    ]);
    expect(exitCode).toBe(0);
    expect(stub.requestsTo('POST', '/backfills')[0]!.body).toEqual({
      dagId: 'hello',
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-30T00:00:00.000Z',
      isReverse: false,
      reprocess: 'none',
    });
  });

  test('takes every option', async () => {
    follows(backfill(60));
    const options = ['--reverse', '--rerun-failed', '--max-active-runs', '4', '--conf', '{"a": 1}', '--detach'];
    const { stdout } = await callCli(stub, ['backfill', 'create', 'hello', ...RANGE, ...options]);
    expect(stub.requestsTo('POST', '/backfills')[0]!.body).toMatchObject({
      isReverse: true,
      reprocess: 'failed',
      maxActiveRuns: 4,
      conf: { a: 1 },
    });
    expect(stub.requestsTo('GET', '/backfills/7')).toHaveLength(0);
    expect(stdout).toContain('Next: windhover backfill show 7');
  });

  test('ends with 1 and the names of the runs that failed', async () => {
    follows(backfill(60));
    stub.lists('/runs', [dagRun({ runId: 'r1', state: 'failed' }), dagRun({ runId: 'r2', state: 'failed' })]);
    const { stdout, exitCode } = await callCli(stub, ['backfill', 'hello', ...RANGE]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('Backfill 7 of hello: 2 of 30 runs failed:\n  r1\n  r2\n');
    expect(stub.requestsTo('GET', '/runs')[0]!.query).toMatchObject({ backfillId: '7', state: 'failed' });
  });

  test('that was cancelled meanwhile did not succeed', async () => {
    follows(backfill(26, { isCancelled: true, endedAt: '2026-02-01T00:00:00.000Z' }));
    const { stdout, exitCode } = await callCli(stub, ['backfill', 'hello', ...RANGE]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('Backfill 7 of hello was cancelled, with 13 of 30 runs finished.');
  });

  test('with --json prints a line for each change', async () => {
    follows(backfill(0), backfill(26), backfill(60));
    const { stdout } = await callCli(stub, ['backfill', 'hello', ...RANGE, '--json']);
    const finished = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).progress.finished);
    expect(finished).toEqual([0, 26, 60]);
  });

  test('on a terminal is one line with a bar, counts and when it will be done', async () => {
    follows(backfill(0), backfill(30), backfill(60));
    const { stdout } = await callCli(stub, ['backfill', 'hello', ...RANGE], { columns: 120 });
    const text = stripVTControlCharacters(stdout);
    expect(text).toMatch(/█{12}░{12} 50\.0% · tasks 30\/60 · runs 15\/30 · 2 running · 1 deferred · ETA \d+(ms|\.\ds)/);
    expect(text).not.toContain('[backfill progress');
  });

  test('that somebody pauses says so and goes on when it is resumed', async () => {
    follows(backfill(26), backfill(26, { isPaused: true }), backfill(60));
    const { stderr, exitCode } = await callCli(stub, ['backfill', 'hello', ...RANGE]);
    expect(stderr).toBe('Backfill 7 is paused. Resume it with: windhover backfill resume 7\n');
    expect(exitCode).toBe(0);
  });

  test('resume follows it again', async () => {
    follows(backfill(60)).on('POST', '/backfills/7/resume', () => ({ body: backfill(26) }));
    const { stdout, exitCode } = await callCli(stub, ['backfill', 'resume', '7']);
    expect(stdout).toContain('Backfill 7 of hello succeeded');
    expect(exitCode).toBe(0);
  });

  test('--dry-run shows the plan and creates nothing', async () => {
    const plan = {
      dates: [
        { logicalDate: '2026-01-01T00:00:00.000Z', action: 'skip', runId: 'r1' },
        { logicalDate: '2026-01-02T00:00:00.000Z', action: 'create' },
      ],
    };
    stub.on('POST', '/backfills', () => ({ body: plan }));
    const { stdout } = await callCli(stub, ['backfill', 'hello', ...RANGE, '--dry-run']);
    expect(stub.requestsTo('POST', '/backfills')[0]!.body).toMatchObject({ dryRun: true });
    expect(stdout).toMatch(/2026-01-01T00:00:00Z +skip +r1\n2026-01-02T00:00:00Z +create\n/);
    expect(stdout).toContain('Would create 1 run, run 0 again and skip 1.');
    const json = await callCli(stub, ['backfill', 'hello', ...RANGE, '--dry-run', '--json']);
    expect(JSON.parse(json.stdout)).toEqual(plan);
  });
});
