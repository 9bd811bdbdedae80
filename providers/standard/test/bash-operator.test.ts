import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, type LogRecord, template } from '@windhover/core';
import { runOperator, until } from '@windhover/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LineSplitter } from '../src/bash/line-splitter.ts';
import { type BashArgs, BashOperator } from '../src/index.ts';

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'windhover-bash-test-')));
});
afterAll(() => rm(folder, { recursive: true }));

const bash = (bashCommand: string, args: Partial<BashArgs> = {}) =>
  runOperator(new BashOperator({ taskId: 'sh', bashCommand, ...args }));

test('the last line of stdout is the result, and all lines are in the log with their levels', async () => {
  const run = await bash('echo one; echo two >&2; printf three');
  expect(run).toMatchObject({ state: 'success', result: 'three' });
  const lines = run.log.map(({ level, message }) => `${level} ${message}`).sort();
  expect(lines).toEqual(['info one', 'info three', 'warning two']);
});

test('a command without output has no result', async () => {
  expect((await bash('true')).result).toBeUndefined();
});

test('a line is in the log while the command still runs', async () => {
  const go = join(folder, 'go');
  const log: LogRecord[] = [];
  const operator = new BashOperator({
    taskId: 'sh',
    bashCommand: `echo begun; while [ ! -e ${go} ]; do sleep 0.02; done`,
  });
  const run = enter(operator, { log });
  await until(() => log.some(({ message }) => message === 'begun'), 'the line has come');
  await runOperator(new BashOperator({ taskId: 'go', bashCommand: `touch ${go}` }));
  expect(await run.ended).toBe('begun');
});

test('an exit code fails the task, and retries apply', async () => {
  const run = await runOperator(new BashOperator({ taskId: 'sh', bashCommand: 'exit 3', retries: 1 }));
  expect(run).toMatchObject({ state: 'failed', tries: 2, error: { code: 'E_BASH_COMMAND' } });
  expect(run.error!.message).toBe('The command of task "sh" ended with exit code 3. Its log says more.');
});

test('a signal that ended the command is named', async () => {
  expect((await bash('kill -SEGV $$')).error!.message).toContain('was ended by SIGSEGV');
});

test.each([
  [99, {}, 'skipped'],
  [99, { skipOnExitCode: null }, 'failed'],
  [7, { skipOnExitCode: 7 }, 'skipped'],
  [8, { skipOnExitCode: [7, 8] }, 'skipped'],
  [99, { skipOnExitCode: [7, 8] }, 'failed'],
  [0, { skipOnExitCode: 0 }, 'success'],
] as const)('exit code %i with %j ends as %s', async (exitCode, args, state) => {
  expect((await bash(`exit ${exitCode}`, args)).state).toBe(state);
});

describe('its environment', () => {
  test("is the worker's, unless it has one of its own", async () => {
    process.env.WINDHOVER_BASH_TEST = 'from the worker';
    try {
      expect((await bash('echo "$WINDHOVER_BASH_TEST"')).result).toBe('from the worker');
      expect((await bash('echo "<$WINDHOVER_BASH_TEST>$A"', { env: { A: 'a' } })).result).toBe('<>a');
      expect((await bash('echo "$WINDHOVER_BASH_TEST $A"', { env: { A: 'a' }, appendEnv: true })).result).toBe(
        'from the worker a',
      );
    } finally {
      delete process.env.WINDHOVER_BASH_TEST;
    }
  });

  test('may hold templates', async () => {
    const operator = new BashOperator({
      taskId: 'sh',
      bashCommand: 'echo $DAY',
      env: { DAY: template(({ logicalDate }) => logicalDate.toISOString().slice(0, 10)) },
    });
    expect((await runOperator(operator)).result).toBe('2026-01-01');
  });
});

describe('its directory', () => {
  test('is its own and gone afterwards, unless it is given', async () => {
    const own = (await bash('touch left-over; pwd')).result!;
    expect(own).not.toBe(process.cwd());
    expect(existsSync(own)).toBe(false);
    expect((await bash('pwd', { cwd: folder })).result).toBe(folder);
  });

  test('that does not exist is named', async () => {
    const run = await bash('pwd', { cwd: '/nowhere/at/all' });
    expect(run.error!.message).toContain('there is no directory "/nowhere/at/all"');
  });
});

describe('when the task is to end', () => {
  test('the command and what it started are ended', async () => {
    const pids = join(folder, 'pids');
    const operator = new BashOperator({
      taskId: 'sh',
      bashCommand: `sleep 600 & echo $! >> ${pids}; (sleep 600; true) & echo $! >> ${pids}; echo ready >> ${pids}; wait`,
    });
    const run = enter(operator);
    await until(async () => (await text(pids)).includes('ready'), 'the command has started its children');
    run.abort(new Error('the user wants it to end'));
    await expect(run.ended).rejects.toThrow('the user wants it to end');
    const children = (await text(pids)).split('\n').filter((line) => /^\d+$/.test(line));
    expect(children.length).toBe(2);
    // Whoever adopted them may look a little later that they have ended.
    await until(() => !children.some((pid) => isRunning(Number(pid))), 'both children are gone');
  });

  test('it may tidy up first', async () => {
    const tidied = join(folder, 'tidied');
    const operator = new BashOperator({
      taskId: 'sh',
      bashCommand: `trap 'echo tidied > ${tidied}; exit 0' TERM; echo ready; while true; do sleep 0.02; done`,
    });
    const log: LogRecord[] = [];
    const run = enter(operator, { log });
    await until(() => log.some(({ message }) => message === 'ready'), 'the trap is set');
    run.abort(new Error('stop'));
    await expect(run.ended).rejects.toThrow('stop');
    expect(await text(tidied)).toBe('tidied\n');
  });

  test('what ignores SIGTERM is killed', async () => {
    const pids = join(folder, 'stubborn');
    const operator = new BashOperator({
      taskId: 'sh',
      bashCommand: `trap '' TERM; echo $$ > ${pids}; while true; do sleep 0.05; done`,
    });
    const run = enter(operator);
    await until(async () => (await text(pids)) !== '', 'the command runs');
    run.abort(new Error('stop'));
    await expect(run.ended).rejects.toThrow('stop');
    expect(isRunning(Number(await text(pids)))).toBe(false);
  });

  test('it does not start after all if it has not yet', async () => {
    const marker = join(folder, 'never');
    const run = enter(new BashOperator({ taskId: 'sh', bashCommand: `touch ${marker}` }), { isAborted: true });
    await expect(run.ended).rejects.toThrow('too late');
    expect(existsSync(marker)).toBe(false);
  });
});

test('lines are whole, whatever the pieces they come in', () => {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const byte of Buffer.from('grüße\r\n\nlast')) splitter.write(Buffer.from([byte]));
  splitter.end();
  expect(lines).toEqual(['grüße', '', 'last']);
});

test('a line without an end does not grow without limit', () => {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (let part = 0; part < 40; part += 1) splitter.write(Buffer.alloc(100_000, '.'));
  expect(lines.length).toBeGreaterThan(1);
});

/** Enters an operator as a worker does, with a signal that can abort. */
function enter(
  operator: BashOperator,
  { log = [], isAborted = false }: { log?: LogRecord[]; isAborted?: boolean } = {},
) {
  const controller = new AbortController();
  if (isAborted) controller.abort(new Error('too late'));
  const write = (level: LogRecord['level']) => (message: string) => void log.push({ at: '', level, message });
  const logger = { debug: write('debug'), info: write('info'), warning: write('warning'), error: write('error') };
  const ended = operator.execute({ signal: controller.signal, log: logger } as unknown as Context);
  ended.catch(() => {});
  return { ended, abort: (reason: Error) => controller.abort(reason) };
}

function text(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
