import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLedgerScene, type LedgerScene, overlaps } from './support/ledger.ts';
import { type Command, windhover } from './support/processes.ts';

// The whole platform in one process with its own PostgreSQL, used through the command as a person would.
let scene: LedgerScene;
let standalone: Command;

beforeEach(async () => {
  scene = await createLedgerScene();
  standalone = await start();
}, 60_000);

afterEach(async () => {
  if (standalone.isRunning) expect(await standalone.kill('SIGTERM')).toBe(0);
  await scene.close();
}, 60_000);

function environment(): Record<string, string> {
  // Without a database and keys of its own it makes them.
  const { WINDHOVER_DATABASE_URL: _url, WINDHOVER_SECRET_KEYS: _keys, ...env } = scene.env;
  return env;
}

async function start(): Promise<Command> {
  const command = windhover(['standalone'], { cwd: scene.projectRoot, env: environment() });
  await command.printed(/is running at http/);
  return command;
}

/** Runs a command to its end and answers what it printed as JSON. */
async function ask(...args: string[]): Promise<any> {
  const command = windhover(['--json', ...args], { cwd: scene.projectRoot, env: environment() });
  const code = await command.ended;
  if (code !== 0) throw new Error(`windhover ${args.join(' ')}: ${code}\n${command.output}`);
  return JSON.parse(command.output);
}

/** Asks again until it is so. */
async function eventually<T>(what: string, look: () => Promise<T | false | undefined>): Promise<T> {
  const limit = Date.now() + 60_000;
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found) return found;
    if (Date.now() > limit) throw new Error(`This did not happen within a minute: ${what}\n${standalone.output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const known = (dagId: string) =>
  eventually(`${dagId} is known`, async () => (await ask('dags', 'list')).some((dag: any) => dag.dagId === dagId));

test('a worker that is killed in the middle of a task costs a try at once, with the reason in the log', async () => {
  await known('endless');
  const { runId } = await ask('dags', 'trigger', 'endless');
  const { pid } = await eventually('the task begins', async () => (await scene.entries())[0]);
  process.kill(pid, 'SIGKILL');
  const killedAt = Date.now();
  const second = await eventually('it is tried again', async () => (await scene.entries())[1]);
  console.log(`the next try began ${second.startedAt.getTime() - killedAt} ms after the kill`);
  expect(second.pid).not.toBe(pid);
  await eventually('the run ends', async () => (await ask('runs', 'show', 'endless', runId)).state === 'success');
  const log = windhover(['tasks', 'logs', 'endless', runId, 'stay', '--attempt', '1'], {
    cwd: scene.projectRoot,
    env: environment(),
  });
  expect(await log.ended).toBe(0);
  expect(log.output).toMatch(/The worker was lost: .*SIGKILL/);
}, 120_000);

test('after kill -9 of everything, a restart finishes all runs, and nothing that was committed runs again', async () => {
  await known('patient');
  const runs: [string, string][] = [];
  for (const dagId of ['patient', 'patient', 'patient', 'twenty', 'twenty'])
    runs.push([dagId, (await ask('dags', 'trigger', dagId)).runId]);
  const tasksOf = async () => {
    const lists = await Promise.all(runs.map(([dagId, runId]) => ask('tasks', 'list', dagId, runId)));
    return lists.flat() as { runId: string; taskId: string; state: string }[];
  };
  const before = await eventually('tasks run and wait', async () => {
    const tasks = await tasksOf();
    const count = (state: string) => tasks.filter((task) => task.state === state).length;
    return count('running') > 0 && count('deferred') > 0 && count('success') > 3 && tasks;
  });
  await standalone.kill('SIGKILL');
  standalone = await start();
  await eventually('all runs end', async () => {
    const states = await Promise.all(runs.map(([dagId, runId]) => ask('runs', 'show', dagId, runId)));
    return states.every(({ state }) => state === 'success');
  });
  const entries = await scene.entries();
  expect(overlaps(entries)).toEqual([]);
  const committed = before.filter(({ state }) => state === 'success' || state === 'deferred');
  const again = committed.filter(
    (task) => entries.filter((entry) => entry.runId === task.runId && entry.taskId === task.taskId).length > 1,
  );
  expect(again).toEqual([]);
}, 180_000);

test('a backfill of thirty days that is interrupted by Ctrl-C pauses, and goes on when it is resumed', async () => {
  await known('daily');
  const options = { cwd: scene.projectRoot, env: environment() };
  const range = ['--from', '2026-01-01', '--to', '2026-01-30', '--max-active-runs', '3'];
  const backfill = windhover(['backfill', 'daily', ...range], options);
  await backfill.printed(/backfill progress: [1-9]\d?\.\d%\] \| total dagruns: 30 \| total tasks: 60/);
  expect(await backfill.kill('SIGINT')).toBe(130);
  const [, id] = backfill.output.match(/windhover backfill resume (\d+)/)!;
  const { isPaused, progress } = await ask('backfill', 'show', id!);
  expect(isPaused).toBe(true);
  expect(progress.finishedDagRuns).toBeLessThan(30);
  const resumed = windhover(['backfill', 'resume', id!], options);
  expect(await resumed.ended).toBe(0);
  expect(resumed.output).toContain(
    '[backfill progress: 100.0%] | total dagruns: 30 | total tasks: 60 | finished: 60 | succeeded: 60 | skipped: 0 | failed: 0',
  );
  const runs = await ask('runs', 'list', '--dag', 'daily', '--limit', '100');
  expect(runs.filter((run: any) => run.runType === 'backfill')).toHaveLength(30);
}, 120_000);

test('it stops cleanly, and a second start is quick and finds everything as it was', async () => {
  await known('endless');
  expect(await standalone.kill('SIGINT')).toBe(0);
  const begun = Date.now();
  standalone = await start();
  console.log(`the second start took ${Date.now() - begun} ms`);
  expect((await ask('dags', 'list')).map((dag: any) => dag.dagId)).toContain('endless');
  const second = windhover(['standalone'], { cwd: scene.projectRoot, env: environment() });
  expect(await second.ended).not.toBe(0);
  expect(second.output).toMatch(/has a standalone already: process \d+/);
}, 120_000);
