import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { enterKey } from '../src/in-memory/enter-key.ts';
import { type TestRequest, testInMemory } from '../src/in-memory/test-in-memory.ts';

const projectRoot = join(import.meta.dirname, 'fixtures/in-memory-project');

interface Answer {
  readonly exitCode: number;
  readonly lines: readonly string[];
}

/** What the command prints, in this process. */
async function testHere(
  request: Omit<TestRequest, 'isJson'> & { isJson?: boolean },
  cwd = projectRoot,
): Promise<Answer> {
  let printed = '';
  const stdout = { write: (text: string) => (printed += text) };
  const exitCode = await testInMemory(
    { isJson: false, ...request },
    {
      stdout,
      stderr: stdout,
      readStdin: async () => '',
      env: {},
      cwd,
      interruptible: (work) => work(new AbortController().signal),
    },
  );
  // Times and durations differ each time.
  const lines = printed
    .replace(/^\d\d:\d\d:\d\d\.\d{3}/gm, '<time>')
    .replace(/\b\d+(\.\d+)?m?s\b/g, '<span>')
    .split('\n');
  return { exitCode, lines };
}

/** The command itself, as a user runs it. */
function windhover(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const bin = join(import.meta.dirname, '../src/bin.ts');
  const child = spawn(process.execPath, ['--conditions=development', bin, ...args], {
    cwd: projectRoot,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exitCode = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, exitCode, stdout: text(child.stdout), stderr: text(child.stderr) };
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'windhover-in-memory-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('people read each step with its time and task, and a table at the end', async () => {
  const logicalDate = new Date('2026-01-01T00:00:00.000Z');
  const { exitCode, lines } = await testHere({ dagId: 'graph', conf: { name: 'Ada', times: 1 }, logicalDate });
  expect(exitCode).toBe(0);
  expect(lines).toEqual([
    'DAG graph (dags/graph.ts), run manual__2026-01-01T00:00:00.000Z, 5 tasks',
    '<time>  greet  started',
    '<time>  greet  | hello Ada',
    '<time>  greet  | WARNING only once',
    '<time>  greet  success',
    '<time>  which  started',
    '<time>  many   skipped',
    '<time>  which  success',
    '<time>  one    started',
    '<time>  one    success',
    '<time>  last   started',
    '<time>  last   success',
    '',
    expect.stringMatching(/^TASK +STATE +TRIES +DURATION +WAITED$/),
    expect.stringMatching(/^greet +success +1 +<span>$/),
    expect.stringMatching(/^which +success +1 +<span>$/),
    expect.stringMatching(/^many +skipped +0$/),
    expect.stringMatching(/^one +success +1 +<span>$/),
    expect.stringMatching(/^last +success +1 +<span>$/),
    '',
    'graph: success after <span> (all tasks have ended)',
    '',
  ]);
});

test('a wait is printed with its trigger and what that says, a retry with its delay', async () => {
  const { lines } = await testHere({ dagId: 'waits', taskId: 'operator' });
  expect(lines).toEqual(
    expect.arrayContaining([
      '<time>  operator  deferred to project:lib/gate.ts#GateTrigger',
      '<time>  operator  | [trigger] look 1',
      '<time>  operator  its trigger has fired',
      '<time>  operator  resumed in executeComplete',
      'Result: "order for operator after 2 looks"',
    ]),
  );
  const { exitCode, lines: retried } = await testHere({ dagId: 'failures', taskId: 'shaky' });
  expect(exitCode).toBe(0);
  expect(retried).toContain('<time>  shaky  try 2 of 3 in <span> (skip the wait with --skip-retry-delay)');
});

test('a failed run answers 1, and says which task and why', async () => {
  const { exitCode, lines } = await testHere({ dagId: 'failures' });
  expect(exitCode).toBe(1);
  expect(lines).toContain('<time>  broken  failed: TaskFailed: broken for good');
  expect(lines.at(-2)).toBe('failures: failed after <span> (failed: never)');
});

test('an unknown DAG is refused with those that were found, the nearest first, and with what could not be read', async () => {
  await expect(testHere({ dagId: 'wait' })).rejects.toMatchObject({
    code: 'E_DAG_NOT_IN_PROJECT',
    available: expect.arrayContaining(['waits', 'graph', 'secrets']),
    importErrors: [
      { file: 'dags/broken.ts', line: 5, message: expect.stringContaining('"broken_file"') },
      { file: 'dags/hidden.ts', line: 3, message: expect.stringContaining('not exported') },
    ],
    message: expect.stringMatching(
      /^There is no DAG "wait" in dags\/\. Found there: waits, .*\n {2}dags\/broken\.ts:5: /,
    ),
  });
});

test('a DAG whose file cannot be imported is refused with file, line and message', async () => {
  await expect(testHere({ dagId: 'broken_file' })).rejects.toMatchObject({
    code: 'E_DAG_IMPORT',
    location: { file: 'dags/broken.ts', line: 5 },
    message: expect.stringContaining('has two tasks with the id "a"'),
  });
});

test('with a file, only that file is looked into', async () => {
  expect((await testHere({ dagId: 'mended', file: 'dags/failures.ts' })).exitCode).toBe(0);
  await expect(testHere({ dagId: 'mended', file: 'dags/graph.ts' })).rejects.toMatchObject({
    available: ['graph'],
    message: 'There is no DAG "mended" in dags/graph.ts. Found there: graph.',
  });
});

test('a project without DAG files says so', async () => {
  const folder = await temporaryFolder();
  await expect(testHere({ dagId: 'a' }, folder)).rejects.toMatchObject({ code: 'E_DAGS_FOLDER' });
  await mkdir(join(folder, 'dags'));
  await writeFile(join(folder, 'dags/notes.txt'), 'dag("a")');
  await expect(testHere({ dagId: 'a' }, folder)).rejects.toThrow('There is no DAG "a" in dags/. Found there: none.');
});

test('the command runs DAG files with enums, and all it prints with --json is JSON', async () => {
  const env = { WINDHOVER_CONN_ACME_DEFAULT: 'http://acme.example', WINDHOVER_VAR_REGION_NAME: 'eu' };
  const { stdout, stderr, exitCode } = windhover(['dags', 'test', 'secrets', '--json'], env);
  expect(await stderr).toBe('');
  expect(await exitCode).toBe(0);
  const events = (await stdout)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.at(0)).toMatchObject({ type: 'runStarted', dagId: 'secrets' });
  expect(events.at(-1)).toMatchObject({
    type: 'runEnded',
    state: 'success',
    tasks: [{ result: 'acme.example' }, { result: 'eu' }],
  });
});

test('what the file, a task and a trigger print is told apart; secret keys are kept from them; what they left open does not matter', async () => {
  const { stdout, exitCode } = windhover(['tasks', 'test', 'printing', 'print', '--json'], {
    WINDHOVER_SECRET_KEYS: 'x',
  });
  expect(await exitCode).toBe(0);
  const events = (await stdout)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const logs = events
    .filter(({ type }) => type === 'log')
    .map(({ source, level, message }) => `${source} ${level} ${message}`);
  expect(logs).toEqual([
    'process info the file is read',
    'task info before the wait: 1',
    'trigger warning the trigger prints',
    'task info before the wait: 1',
  ]);
  expect(events.at(-1)).toMatchObject({ tasks: [{ result: 'no secret keys' }] });
});

test('a task that ends the process has not passed', async () => {
  const { stdout, exitCode } = windhover(['dags', 'test', 'exiting']);
  expect(await exitCode).toBe(1);
  expect(await stdout).toContain('called process.exit');
});

test('Ctrl-C cancels what waits and ends with 130', async () => {
  const diary = join(await temporaryFolder(), 'diary');
  const { child, stdout, exitCode } = windhover(['dags', 'test', 'endless', '--conf', JSON.stringify({ diary })]);
  child.stdout.on('data', (chunk: Buffer) => {
    if (chunk.includes('waiting for ever')) child.kill('SIGINT');
  });
  expect(await exitCode).toBe(130);
  expect(await stdout).toMatch(/endless: stopped after .* \(interrupted\)\n$/);
  expect(await readFile(diary, 'utf8')).toBe('cleanup killed\nonKill runEnded\n');
});

test.each([
  [['--conf', '{"a": '], '{"a": '],
  [['--logical-date', 'yesterday'], 'ISO 8601'],
  [['--xcom', 'extract=[1'], 'no JSON'],
  [['--xcom', '[1]'], 'such as extract='],
])('wrong input is refused before anything runs: %j', async (args, reason) => {
  const { stdout, stderr, exitCode } = windhover(['tasks', 'test', 'graph', 'many', ...args]);
  expect(await exitCode).toBe(2);
  expect(await stderr).toContain(reason);
  expect(await stdout).toBe('');
});

test('Enter is heard once, and nothing is read when nobody waits for it any more', async () => {
  const stdin = new PassThrough();
  const pressed = enterKey(stdin, new AbortController().signal);
  stdin.write('\n');
  await pressed;
  const over = new AbortController();
  void enterKey(stdin, over.signal);
  over.abort();
  expect([stdin.listenerCount('data'), stdin.isPaused()]).toEqual([0, true]);
});
