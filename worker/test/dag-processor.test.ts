import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@windhover/core/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DagProcessor, type DagProcessorOptions } from '../src/dag-processor/dag-processor.ts';
import { type LoggedLine, RecordedDagApi, recordedLog } from './fixtures/projects/recorded-dag-api.ts';
import { dagFile, makeProject, type TemporaryProject } from './fixtures/projects/temporary-project.ts';

const HEAD = "import { dag, task } from '@windhover/core';\n";

function startProcessor(project: TemporaryProject, options: Partial<DagProcessorOptions> = {}) {
  const dagApi = new RecordedDagApi();
  const log: LoggedLine[] = [];
  const processor = new DagProcessor({
    projectRoot: project.root,
    dagApi,
    log: recordedLog(log),
    // Long, so that a test which passes has seen the watch and not the net.
    scanIntervalMs: 3_600_000,
    ...options,
  });
  onTestFinished(() => processor.stop());
  processor.start();
  return { dagApi, processor, log };
}

async function parsed(files: Readonly<Record<string, string>>, options: Partial<DagProcessorOptions> = {}) {
  const project = makeProject(files);
  const started = startProcessor(project, options);
  await started.processor.whenIdle();
  return { project, ...started };
}

describe('what files hold', () => {
  test('every DAG file is sent with its DAGs and the code hash; tests, types and private files are none', async () => {
    const { dagApi } = await parsed({
      'dags/daily.ts': dagFile('daily'),
      'dags/team/weekly.mjs': dagFile('weekly'),
      'dags/plain.js': dagFile('plain'),
      'dags/daily.test.ts': dagFile('a'),
      'dags/types.d.ts': 'export type A = 1;',
      'dags/_draft.ts': dagFile('b'),
      'dags/_lib/c.ts': dagFile('c'),
      'dags/.hidden/d.ts': dagFile('d'),
      'dags/node_modules/e/e.ts': dagFile('e'),
      'dags/readme.md': '',
      'lib/f.ts': dagFile('f'),
    });
    const files = ['dags/daily.ts', 'dags/plain.js', 'dags/team/weekly.mjs'];
    expect(dagApi.list).toEqual(files);
    expect([...dagApi.files.keys()].sort()).toEqual(files);
    expect(dagApi.dagIds).toEqual(['daily', 'plain', 'weekly']);
    expect(dagApi.files.get('dags/daily.ts')).toMatchObject({
      codeHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      importErrors: [],
      dags: [{ dagId: 'daily', tasks: [{ taskId: 'only', hasSignalCode: false }] }],
    });
  });

  test('a project without "type": "module" works as well', async () => {
    const { dagApi } = await parsed({ 'package.json': '{ "name": "acme" }', 'dags/daily.ts': dagFile('daily') });
    expect(dagApi.files.get('dags/daily.ts')).toMatchObject({
      importErrors: [],
      dags: [{ dagId: 'daily', tasks: [{ hasSignalCode: false }] }],
    });
  });

  test('what a file prints goes to the log, and it sees no secret of the platform', async () => {
    process.env.WINDHOVER_SECRET_KEYS = 'very-secret';
    onTestFinished(() => {
      delete process.env.WINDHOVER_SECRET_KEYS;
    });
    const { log } = await parsed({
      'dags/loud.ts': `console.log('out', process.env.WINDHOVER_SECRET_KEYS);\nconsole.error('err');\n${dagFile('loud')}`,
    });
    await until(() => log.some(({ message }) => message === 'err'), 'stderr is logged');
    expect(log).toContainEqual({
      level: 'info',
      message: 'out undefined',
      fields: { stream: 'stdout', dagFile: 'dags/loud.ts' },
    });
  });

  test('a folder that is missing does not mean that all DAGs are gone', async () => {
    const project = makeProject();
    const { dagApi, log } = startProcessor(project);
    await until(() => log.some(({ message }) => message.includes('no folder dags')), 'the folder is missed');
    expect(dagApi.list).toBeNull();
    project.write({ 'dags/daily.ts': dagFile('daily') });
    await until(() => dagApi.dagIds.includes('daily'), 'the new folder is seen');
  });
});

describe('import errors', () => {
  const good = { 'dags/good.ts': dagFile('good') };

  test.each([
    ['throws', `${HEAD}\nthrow new Error('boom');`, 'dags/bad.ts', 3, 'boom'],
    ['has a syntax error', `${HEAD}\nexport const x = ;`, 'dags/bad.ts', 3, 'SyntaxError: Unexpected ";"'],
    ['imports a missing file', `${HEAD}import '../lib/nothing';`, 'dags/bad.ts', 2, 'Cannot find module'],
    [
      'imports a missing package',
      `${HEAD}\nimport x from 'no-such';\nx();`,
      'dags/bad.ts',
      3,
      "Cannot find package 'no-such'",
    ],
    ['imports a missing export', `${HEAD}import { y } from '../lib/helper';\ny();`, 'dags/bad.ts', 2, 'export named'],
    ['imports a file that throws', "import '../lib/thrower';", 'lib/thrower.ts', 2, 'helper is ill'],
    ['throws no error', "throw 'text';", 'dags/bad.ts', null, 'It threw "text", which is no Error'],
    [
      'has a cycle',
      `${HEAD}export const x = dag('x', {}, () => {
  const [a, b] = [task('a', async () => 1), task('b', async () => 1)];
  a.before(b); b.before(a);
});`,
      'dags/bad.ts',
      2,
      'DagCycleError: DAG "x" has a cycle: ',
    ],
    [
      'has two tasks with one id',
      `${HEAD}export const x = dag('x', {}, () => {
  task('a', async () => 1);
  task('a', async () => 1);
});`,
      'dags/bad.ts',
      4,
      'DuplicateTaskIdError',
    ],
    [
      'does not export its DAG',
      `${HEAD}\ndag('lost', {}, () => {});`,
      'dags/bad.ts',
      3,
      'DAG "lost" is made here but not',
    ],
    ['calls process.exit', `${HEAD}\nprocess.exit(3);`, 'dags/bad.ts', 3, 'process.exit(3) was called'],
    ['kills its process', "process.kill(process.pid, 'SIGKILL');", 'dags/bad.ts', null, 'was ended by SIGKILL'],
    ['aborts its process', 'process.abort();', 'dags/bad.ts', null, 'was ended by SIGABRT'],
  ])('a file that %s is reported with its line, and stops no other', async (_, text, file, line, message) => {
    const { dagApi } = await parsed({
      ...good,
      'dags/bad.ts': text,
      'lib/helper.ts': 'export const z = 1;',
      'lib/thrower.ts': "\nthrow new Error('helper is ill');",
    });
    expect(dagApi.dagIds).toEqual(['good']);
    expect(dagApi.errorsOf('dags/bad.ts')).toEqual([
      { file, line, message: expect.stringContaining(message), stack: expect.toBeOneOf([null, expect.any(String)]) },
    ]);
  });

  test.each([
    ['never stops computing', 'for (;;);'],
    ['waits forever', 'await new Promise(() => setInterval(() => {}, 1000));'],
  ])('a file that %s is stopped after its time, and stops no other', async (_, text) => {
    const { dagApi } = await parsed(
      { ...good, 'dags/bad.ts': text, 'dags/zoo.ts': dagFile('zoo') },
      { parseTimeoutMs: 500 },
    );
    expect(dagApi.dagIds).toEqual(['good', 'zoo']);
    expect(dagApi.errorsOf('dags/bad.ts')).toMatchObject([
      { message: expect.stringContaining('took longer than 0.5 s') },
    ]);
  });

  test('one DAG that cannot be stored does not take the others of its file along', async () => {
    const { dagApi } = await parsed({
      'dags/two.ts': `${HEAD}export const bad = dag('bad', {}, () => {
  task('a', async () => 1, { executorConfig: { call: (() => 1) as any } });
});
export const good = dag('good', {}, () => {});`,
    });
    expect(dagApi.dagIds).toEqual(['good']);
    expect(dagApi.errorsOf('dags/two.ts')).toMatchObject([
      { line: 2, message: expect.stringContaining('executorConfig') },
    ]);
  });

  test('what a file leaves running may fail without an effect on other files', async () => {
    const { dagApi, log } = await parsed({
      'dags/a.ts': `setTimeout(() => { throw new Error('late'); }, 1);\nPromise.reject(new Error('unheard'));\n${dagFile('a')}`,
      'dags/b.ts': `await new Promise((resolve) => setTimeout(resolve, 100));\n${dagFile('b')}`,
    });
    expect(dagApi.dagIds).toEqual(['a', 'b']);
    await until(() => log.some(({ message }) => message.includes('unheard')), 'the rejection is logged');
    await until(() => log.some(({ message }) => message.includes('late')), 'the exception is logged');
  });
});

describe('several files', () => {
  test('a DAG id in two files is the first one’s, and the second has an error that names both', async () => {
    const { dagApi, project } = await parsed({
      'dags/b.ts': dagFile('same', 'from_b'),
      'dags/c.ts': dagFile('same', 'from_c'),
    });
    expect(dagApi.taskIdsOf('same')).toEqual(['from_b']);
    const [error] = dagApi.errorsOf('dags/c.ts');
    expect(error?.message).toContain('dags/b.ts and dags/c.ts');
    // A copy does not take the id away, though its name comes first.
    project.write({ 'dags/a.ts': dagFile('same', 'from_a') });
    await until(() => dagApi.errorsOf('dags/a.ts').length === 1, 'the copy has its error');
    expect(dagApi.taskIdsOf('same')).toEqual(['from_b']);
    project.remove('dags/b.ts');
    await until(
      () => dagApi.dagIds.length === 1 && dagApi.taskIdsOf('same')[0] === 'from_c',
      'the next one has the id',
    );
  });

  test('a file that imports the DAG of another is not blamed for it', async () => {
    const { dagApi } = await parsed({
      'dags/a-weekly.ts': `${HEAD}import { made as daily } from './daily';
export const weekly = dag('weekly', {}, () => { task('start_' + daily.dagId, async () => 1); });`,
      'dags/daily.ts': dagFile('daily'),
    });
    expect(dagApi.dagIds).toEqual(['daily', 'weekly']);
    expect(dagApi.puts.flatMap(({ importErrors }) => importErrors)).toEqual([]);
  });
});

describe('changes', () => {
  test('an edited, a new and a deleted file are seen within a second', async () => {
    const { dagApi, project, processor } = await parsed({ 'dags/daily.ts': dagFile('daily', 'old') });
    const changedAt = performance.now();
    project.write({ 'dags/daily.ts': dagFile('daily', 'edited') });
    await until(() => dagApi.taskIdsOf('daily').includes('edited'), 'the edit is sent');
    expect(performance.now() - changedAt).toBeLessThan(1_000);
    project.write({ 'dags/new/folder/fresh.ts': dagFile('fresh') });
    await until(() => dagApi.dagIds.includes('fresh'), 'the new file is sent');
    project.write({ 'dags/new/folder/fresh.ts': dagFile('fresher') });
    await until(() => dagApi.dagIds.includes('fresher'), 'the file in the new folder is watched');
    project.remove('dags/new');
    await until(() => dagApi.list?.length === 1, 'the deletion is sent');
    await processor.whenIdle();
    expect(dagApi.dagIds).toEqual(['daily']);
  });

  test('a changed helper module changes the DAGs of all files that import it', async () => {
    const usesHelper = (dagId: string) =>
      `${HEAD}import { taskId } from '../lib/helper';\nexport const x = dag('${dagId}', {}, () => { task(taskId, async () => 1); });`;
    const { dagApi, project } = await parsed({
      'lib/helper.ts': "export const taskId = 'before';",
      'dags/a.ts': usesHelper('a'),
      'dags/b.ts': usesHelper('b'),
    });
    const codeHash = dagApi.files.get('dags/a.ts')?.codeHash;
    project.write({ 'lib/helper.ts': "export const taskId = 'after';" });
    await until(() => ['a', 'b'].every((id) => dagApi.taskIdsOf(id)[0] === 'after'), 'both are parsed again');
    expect(dagApi.files.get('dags/a.ts')?.codeHash).not.toBe(codeHash);
    project.write({ 'lib/helper.ts': 'export const taskId = ;' });
    await until(() => dagApi.errorsOf('dags/a.ts').length === 1, 'the broken helper is an error of its users');
    expect(dagApi.errorsOf('dags/a.ts')).toMatchObject([{ file: 'lib/helper.ts', line: 1 }]);
    project.write({ 'lib/helper.ts': "export const taskId = 'mended';" });
    await until(() => ['a', 'b'].every((id) => dagApi.taskIdsOf(id)[0] === 'mended'), 'both have recovered');
  });

  test('an edit is not held up by a file that hangs', async () => {
    const hang = 'for (;;);';
    const project = makeProject({
      'dags/a1.ts': hang,
      'dags/a2.ts': hang,
      'dags/a3.ts': hang,
      'dags/b.ts': dagFile('b'),
    });
    const { dagApi } = startProcessor(project);
    await until(() => dagApi.dagIds.includes('b'), 'a third process has done what two stuck ones could not', 10_000);
    project.write({ 'dags/b.ts': dagFile('b', 'edited') });
    await until(() => dagApi.taskIdsOf('b').includes('edited'), 'the edit is sent');
  }, 15_000);

  test('a change that the watch does not see is found by the scan', async () => {
    const workspace = makeProject({ 'pnpm-lock.yaml': 'v: 1', 'flows/dags/daily.ts': dagFile('daily') });
    const { dagApi, processor } = startProcessor(
      { ...workspace, root: join(workspace.root, 'flows') },
      { scanIntervalMs: 50 },
    );
    await processor.whenIdle();
    const codeHash = dagApi.files.get('dags/daily.ts')?.codeHash;
    workspace.write({ 'pnpm-lock.yaml': 'v: 2' });
    await until(() => dagApi.files.get('dags/daily.ts')?.codeHash !== codeHash, 'the lockfile above was read again');
  });

  test('what did not change is not sent again', async () => {
    const { dagApi, processor } = await parsed({ 'dags/daily.ts': dagFile('daily') }, { scanIntervalMs: 20 });
    let lists = 0;
    dagApi.onCall = () => void lists++;
    for (let scans = 0; scans < 5; scans++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await processor.whenIdle();
    }
    expect([dagApi.puts.length, lists]).toEqual([1, 0]);
  });
});

describe('the platform', () => {
  test('is told in the end, though its API fails for a while', async () => {
    const project = makeProject({ 'dags/a.ts': dagFile('a'), 'dags/b.ts': dagFile('b') });
    const { dagApi, log } = startProcessor(project);
    let failures = 0;
    dagApi.onCall = () => {
      if (failures++ < 5) throw new Error('503');
    };
    await until(() => dagApi.dagIds.length === 2 && dagApi.list?.length === 2, 'all has arrived');
    expect(log.filter(({ level, message }) => level === 'warning' && message.includes('503'))).toHaveLength(5);
  });

  test('may refuse one file without an effect on the others, and gets its next content at once', async () => {
    const project = makeProject({ 'dags/a.ts': dagFile('a'), 'dags/b.ts': dagFile('b') });
    const { dagApi } = startProcessor(project);
    const seen: string[] = [];
    dagApi.onCall = (call, file) => {
      if (call === 'putDagFileList') return;
      seen.push(file!);
      if (file === 'dags/a.ts' && seen.length < 100) throw new Error('422');
    };
    await until(() => dagApi.dagIds.includes('b'), 'b has arrived');
    await until(() => seen.filter((file) => file === 'dags/a.ts').length >= 3, 'a was tried again');
    dagApi.onCall = () => {};
    project.write({ 'dags/a.ts': dagFile('a2') });
    await until(() => dagApi.dagIds.includes('a2'), 'the new content has arrived');
  });
});

describe('stopping', () => {
  test('ends at once while a file hangs and the API does not answer, and leaves no process', async () => {
    const project = makeProject({
      'dags/hang.ts':
        "import { writeFileSync } from 'node:fs';\nwriteFileSync('pid.txt', String(process.pid));\nfor (;;);",
    });
    const { dagApi, processor } = startProcessor(project);
    dagApi.onCall = () => new Promise(() => {});
    let pid = 0;
    await until(() => {
      try {
        pid = Number(readFileSync(join(project.root, 'pid.txt'), 'utf8'));
      } catch {}
      return pid > 0;
    }, 'the file is being imported');
    const stoppedAt = performance.now();
    await processor.stop();
    expect(performance.now() - stoppedAt).toBeLessThan(1_000);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('works before anything was found, and twice', async () => {
    const { processor } = startProcessor(makeProject({ 'dags/a.ts': dagFile('a') }));
    await Promise.all([processor.stop(), processor.stop()]);
    await processor.whenIdle();
  });
});

test('a DAG folder outside of the project is refused', () => {
  const options = { projectRoot: '/srv/acme', dagApi: new RecordedDagApi(), log: recordedLog([]) };
  expect(() => new DagProcessor({ ...options, dagsFolder: '../dags' })).toThrow('outside of the project');
  expect(() => new DagProcessor({ ...options, dagsFolder: 'node_modules/x/dags' })).toThrow('not taken for code');
});
