import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@windhover/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { findDag } from '../src/in-memory/find-dag.ts';
import { type InMemoryRunOptions, runInMemory } from '../src/in-memory/run-in-memory.ts';
import type { RunEnded, TestEvent } from '../src/in-memory/test-event.ts';

const projectRoot = join(import.meta.dirname, 'fixtures/in-memory-project');

interface Tested extends RunEnded {
  readonly events: readonly TestEvent[];
}

async function runDag(
  dagId: string,
  options: Partial<InMemoryRunOptions> & { events?: TestEvent[] } = {},
): Promise<Tested> {
  const events = options.events ?? [];
  const { dag, file } = await findDag({ projectRoot, dagsFolder: join(projectRoot, 'dags'), dagId });
  const ended = await runInMemory({
    projectRoot,
    dag,
    dagFile: file,
    env: {},
    report: (event) => events.push(event),
    signal: new AbortController().signal,
    ...options,
  });
  return { ...ended, events };
}

const states = ({ tasks }: RunEnded) => Object.fromEntries(tasks.map(({ taskId, state }) => [taskId, state]));
const results = ({ tasks }: RunEnded) => Object.fromEntries(tasks.map(({ taskId, result }) => [taskId, result]));
const of = <T extends TestEvent['type']>({ events }: Pick<Tested, 'events'>, type: T) =>
  events.filter((event): event is Extract<TestEvent, { type: T }> => event.type === type);
const logOf = (tested: Pick<Tested, 'events'>, taskId: string | null) =>
  of(tested, 'log')
    .filter((event) => event.taskId === taskId)
    .map(({ source, level, message }) => `${source} ${level}: ${message.split('\n')[0]}`);

async function diary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'windhover-in-memory-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'diary');
}

test('results, params and a branch go through a DAG as on the platform', async () => {
  const tested = await runDag('graph', { conf: { name: 'Ada' } });
  expect(tested).toMatchObject({ state: 'success', dagId: 'graph' });
  expect(states(tested)).toEqual({
    greet: 'success',
    which: 'success',
    many: 'success',
    one: 'skipped',
    last: 'success',
  });
  expect(results(tested)).toEqual({
    greet: ['hello Ada', 'hello Ada'],
    which: ['many'],
    many: 2,
    one: undefined,
    last: 2,
  });
  expect(tested.tasks.find(({ taskId }) => taskId === 'one')).toMatchObject({ tries: 0, runningMs: 0 });
});

test('what a task prints and logs is told under its id while it runs', async () => {
  const tested = await runDag('graph', { conf: { name: 'Ada', times: 1 } });
  expect(logOf(tested, 'greet')).toEqual(['task info: hello Ada', 'task warning: only once']);
  const types = tested.events.filter((event) => 'taskId' in event && event.taskId === 'greet').map(({ type }) => type);
  expect(types).toEqual(['taskStarted', 'log', 'log', 'taskEnded']);
});

test('the logical date is the one that was asked for', async () => {
  const logicalDate = new Date('2026-02-03T04:05:06.000Z');
  const tested = await runDag('waits', { taskId: 'past', logicalDate });
  expect(tested).toMatchObject({ state: 'success', runId: 'manual__2026-02-03T04:05:06.000Z' });
  expect(results(tested)).toEqual({ past: { $date: logicalDate.toISOString() } });
});

test('a conf that breaks a param is refused before anything runs', async () => {
  const events: TestEvent[] = [];
  await expect(runDag('graph', { conf: { name: 'Ada', times: 0 }, events })).rejects.toMatchObject({
    code: 'E_PARAM',
    param: 'times',
  });
  expect(events).toEqual([]);
});

test('a task that fails is tried again, its callback is called, and what is below it follows', async () => {
  const tested = await runDag('failures');
  expect(tested).toMatchObject({ state: 'failed', reason: 'failed: never' });
  expect(states(tested)).toEqual({ shaky: 'success', broken: 'failed', never: 'upstream_failed' });
  expect(tested.tasks.map(({ tries }) => tries)).toEqual([3, 1, 0]);
  expect(of(tested, 'taskRetrying')).toMatchObject([
    { nextTry: 2, maxTries: 3, error: { message: 'try 1 is bad' } },
    { nextTry: 3, maxTries: 3, error: { message: 'try 2 is bad' } },
  ]);
  expect(logOf(tested, 'shaky')).toEqual([
    'task error: Error: try 1 is bad',
    'callback info: told of: try 1 is bad',
    'task error: Error: try 2 is bad',
    'callback info: told of: try 2 is bad',
  ]);
});

test('a failure that a trigger rule mends does not fail the run', async () => {
  const tested = await runDag('mended');
  expect(tested.state).toBe('success');
  expect(states(tested)).toEqual({ broken: 'failed', mend: 'success' });
});

test('failFast and the timeout of a run end it before its tasks', async () => {
  const hasty = await runDag('hasty');
  expect(hasty).toMatchObject({ state: 'failed', reason: 'failed: broken; the DAG has failFast' });
  expect(states(hasty)).toEqual({ broken: 'failed', other: 'stopped' });
  const short = await runDag('short');
  expect(short).toMatchObject({ state: 'failed', reason: 'timed out: it took longer than 60 ms' });
  expect(states(short)).toEqual({ wait: 'stopped', work: 'stopped' });
});

test('a retry in an hour can be had at once, and the callback of the DAG hears of the failure', async () => {
  const tested = await runDag('patient', { skipsRetryDelay: true });
  expect(tested).toMatchObject({ state: 'failed', tasks: [{ tries: 2 }] });
  expect(logOf(tested, null)).toEqual(['callback error: the run has failed: failed: once_an_hour']);
});

test('Enter ends the wait for a retry', async () => {
  const enter = Promise.withResolvers<void>();
  const events: TestEvent[] = [];
  const running = runDag('patient', { enter: () => enter.promise, events });
  await until(() => of({ events }, 'taskRetrying').length === 1, 'the task waits for its retry');
  enter.resolve();
  expect(await running).toMatchObject({ state: 'failed', tasks: [{ tries: 2 }] });
});

test('every kind of wait is waited for: deferral, sensor, reschedule, waitFor, context.defer, and an end by the trigger', async () => {
  const tested = await runDag('waits');
  expect(tested.state).toBe('success');
  expect(results(tested)).toEqual({
    operator: 'order for operator after 2 looks',
    sensor: 3,
    rescheduled: 3,
    past: { $date: expect.any(String) },
    done: 'by the trigger',
    function: 3,
  });
  const deferrals = of(tested, 'taskDeferred').map(({ taskId, trigger }) => `${taskId} ${trigger}`);
  expect(new Set(deferrals)).toEqual(
    new Set([
      'operator project:lib/gate.ts#GateTrigger',
      'sensor @windhover/core#SensorTrigger',
      'past @windhover/core#TaskStartTrigger',
      'past @windhover/core#DateTimeTrigger',
      'done @windhover/core#TaskStartTrigger',
      'done project:lib/gate.ts#DoneTrigger',
      'function project:lib/gate.ts#GateTrigger',
      'function @windhover/core#TimeDeltaTrigger',
    ]),
  );
});

test('a wait is told: to which trigger, what that logs, and in which method the task goes on', async () => {
  const tested = await runDag('waits', { taskId: 'operator' });
  expect(tested.events.map((event) => event.type)).toEqual([
    'runStarted',
    'taskStarted',
    'taskDeferred',
    'log',
    'log',
    'taskWoken',
    'taskStarted',
    'taskEnded',
    'runEnded',
  ]);
  expect(logOf(tested, 'operator')).toEqual(['trigger info: look 1', 'trigger info: look 2']);
  expect(of(tested, 'taskStarted').map(({ resumedIn }) => resumedIn)).toEqual([null, 'executeComplete']);
});

test('a wait longer than the execution timeout fails, and its trigger is killed', async () => {
  const path = await diary();
  const tested = await runDag('late', { conf: { diary: path } });
  expect(tested).toMatchObject({ state: 'failed', tasks: [{ error: { code: 'E_EXECUTION_TIMEOUT' } }] });
  expect(await readFile(path, 'utf8')).toBe('cleanup killed\nonKill timeout\n');
});

test('an interrupted run cancels what waits and is stopped', async () => {
  const path = await diary();
  const interrupt = new AbortController();
  const events: TestEvent[] = [];
  const running = runDag('endless', { conf: { diary: path }, signal: interrupt.signal, events });
  await until(() => logOf({ events }, 'wait').includes('trigger info: waiting for ever'), 'the trigger waits');
  interrupt.abort();
  expect(await running).toMatchObject({ state: 'stopped', tasks: [{ state: 'stopped' }] });
  expect(await readFile(path, 'utf8')).toBe('cleanup killed\nonKill runEnded\n');
});

test('connections and variables come from the environment, and secrets are masked', async () => {
  const env = { WINDHOVER_CONN_ACME_DEFAULT: 'http://me:s3cret-word@acme.example', WINDHOVER_VAR_REGION_NAME: 'eu' };
  const tested = await runDag('secrets', { env });
  expect(results(tested)).toEqual({ connect: 'acme.example', look_up: 'eu' });
  expect(logOf(tested, 'connect')).toEqual(['task info: red password ***']);
});

test('a connection or variable that is missing is named with the environment variable that would give it', async () => {
  const tested = await runDag('secrets');
  expect(tested).toMatchObject({
    state: 'failed',
    tasks: [{ error: { code: 'E_CONNECTION_NOT_FOUND' } }, { error: { code: 'E_VARIABLE_NOT_FOUND' } }],
  });
  expect(of(tested, 'note').map(({ taskId, message }) => `${taskId}: ${message}`)).toEqual([
    expect.stringMatching(/^connect: .*WINDHOVER_CONN_ACME_DEFAULT=/),
    expect.stringMatching(/^look_up: .*WINDHOVER_VAR_REGION_NAME=/),
  ]);
});

test('one task runs alone, with what others would have left', async () => {
  const tested = await runDag('graph', {
    taskId: 'many',
    conf: { name: 'Ada' },
    xcoms: [{ taskId: 'greet', key: 'return_value', value: ['a', 'b', 'c'] }],
  });
  expect(tested).toMatchObject({ state: 'success', tasks: [{ taskId: 'many', result: 3 }] });
});

test('a result that one task alone would need is asked for', async () => {
  const tested = await runDag('graph', { taskId: 'last', conf: { name: 'Ada' } });
  expect(results(tested)).toEqual({ last: 0 });
  expect(of(tested, 'note')).toMatchObject([
    { taskId: 'last', message: expect.stringContaining("--xcom many='<json>'") },
  ]);
});

test('an unknown task is refused with those of the DAG, the nearest first', async () => {
  await expect(runDag('graph', { taskId: 'mny', conf: { name: 'Ada' } })).rejects.toMatchObject({
    code: 'E_TASK_NOT_IN_DAG',
    available: ['many', 'one', 'last', 'greet', 'which'],
    message: 'DAG "graph" has no task "mny". Its tasks: many, one, last, greet, which.',
  });
});
