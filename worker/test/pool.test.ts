import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@windhover/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { CodeWatcher } from '../src/index.ts';
import { userCodeExecArgv } from '../src/loader/user-code-process.ts';
import { makeProject } from './fixtures/projects/temporary-project.ts';
import { isAlive, PoolScene, PROJECT, SLOW } from './fixtures/tasks/pool-scene.ts';

test(
  'tasks run one after the other in a process that stays',
  async () => {
    const scene = new PoolScene();
    const tasks = scene.run('pid', 'fail', 'defer', 'lost_trigger', 'pid');
    await scene.untilOver(...tasks);
    expect(tasks.map(({ report }) => report!.state)).toEqual(['success', 'failed', 'deferred', 'failed', 'success']);
    expect(tasks[3]!.report).toMatchObject({ error: { code: 'E_CLASSPATH_MISMATCH' } });
    expect(new Set(tasks.map(({ worker }) => worker!.pid)).size).toBe(1);
    expect(tasks[0]!.worker).toMatchObject({ codeHash: 'c1' });
    expect(scene.lost.size).toBe(0);
  },
  SLOW,
);

test(
  'a task that is not in its file fails with E_TASK_REMOVED',
  async () => {
    const scene = new PoolScene();
    const task = await scene.finished('no_such_task');
    expect(task.report).toMatchObject({ state: 'failed', error: { code: 'E_TASK_REMOVED' } });
  },
  SLOW,
);

test(
  'what a task prints is in its log, with levels, whole lines and masked secrets',
  async () => {
    const scene = new PoolScene();
    scene.api.connections.acme = { connType: 'http', password: 'h@rd 2 guess' };
    const task = await scene.finished('print');
    expect(task.records.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      "info: a table of 2 { password: '***' }",
      'warning: beware',
      'error: broken',
      'info: group',
      'debug:   inside',
      'info: in two ünits',
      'warning: stderr',
      'info: fields',
      'info: and no end',
    ]);
    expect(task.records.find(({ message }) => message === 'fields')!.fields).toEqual({ url: 'https://x:***@y' });
    expect(scene.output).toEqual([]);
    expect((await scene.finished('noop')).chunks).toEqual([]);
  },
  SLOW,
);

test(
  '10 MB of log arrive in order, in chunks, before the report',
  async () => {
    const scene = new PoolScene();
    const task = await scene.finished('print_10_mb');
    expect(task.lines.length).toBe(100_001);
    expect(task.lines.at(-1)).toBe('the end');
    expect(task.chunks.map(({ sequence }) => sequence)).toEqual(task.chunks.map((_, index) => index));
    expect(task.report).toMatchObject({ state: 'success' });
  },
  SLOW,
);

test(
  'a process that is killed loses its task at once, with the reason, and the next one goes on',
  async () => {
    const scene = new PoolScene();
    const [killed, next] = scene.run('gate', 'noop');
    await until(() => killed!.worker, 'it runs', SLOW);
    const at = performance.now();
    process.kill(killed!.worker!.pid, 'SIGKILL');
    await scene.untilOver(killed!);
    expect(performance.now() - at).toBeLessThan(1_000);
    expect(scene.lost.get(killed!.id)).toMatch(
      /^Its process \(pid \d+\) was killed by SIGKILL, not by its pool; when memory runs out, the system does that\.$/,
    );
    await scene.untilOver(next!);
    expect(next!.report).toMatchObject({ state: 'success' });
    expect(next!.worker!.pid).not.toBe(killed!.worker!.pid);
  },
  SLOW,
);

test(
  'a task that ends its process is lost with the exit code',
  async () => {
    const scene = new PoolScene();
    const task = await scene.finished('exit');
    expect(scene.lost.get(task.id)).toMatch(/exited with code 7\.$/);
  },
  SLOW,
);

test(
  'a process that runs out of memory says so in the reason',
  async () => {
    const scene = new PoolScene();
    const { NODE_OPTIONS } = process.env;
    process.env.NODE_OPTIONS = '--max-old-space-size=60';
    const limited = new PoolScene();
    if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = NODE_OPTIONS;
    const task = await limited.finished('out_of_memory');
    expect(limited.lost.get(task.id)).toContain('heap out of memory');
    await scene.finished('noop');
  },
  SLOW,
);

test(
  'errors that nobody caught fail the task, and its process is replaced',
  async () => {
    const scene = new PoolScene();
    for (const [taskId, message] of [
      ['uncaught', 'from a timer'],
      ['unhandled', 'from a promise'],
    ] as const) {
      const task = await scene.finished(taskId);
      expect(task.report).toMatchObject({ state: 'failed', error: { name: 'RangeError', message } });
      const next = await scene.finished('pid');
      expect(next.worker!.pid).not.toBe(task.worker!.pid);
    }
    expect(scene.lost.size).toBe(0);
  },
  SLOW,
);

test(
  'a stop calls onKill and is reported; code that ignores it loses its process',
  async () => {
    const scene = new PoolScene();
    const [killable] = scene.run('killable');
    await scene.untilSignal('begun');
    killable!.beat = { action: 'stop', reason: 'user', graceMs: 10_000 };
    await scene.untilOver(killable!);
    expect(await scene.untilSignal('killed')).toBe('user');
    expect(killable!.report).toEqual({ state: 'stopped' });
    const deaf = scene.add('deaf');
    deaf.beat = { action: 'stop', reason: 'user', graceMs: 100 };
    scene.run(deaf);
    await scene.untilOver(deaf);
    expect(deaf.report).toEqual({ state: 'stopped' });
    const next = await scene.finished('pid');
    expect(deaf.worker!.pid).toBe(killable!.worker!.pid);
    expect(next.worker!.pid).not.toBe(deaf.worker!.pid);
    expect(scene.lost.size).toBe(0);
  },
  SLOW,
);

test(
  'a stop reaches a running task without waiting for its next heartbeat',
  async () => {
    const scene = new PoolScene();
    const task = scene.add('killable', { facts: { heartbeatIntervalMs: 3_600_000 } });
    scene.run(task);
    await until(() => task.beats > 0, 'its first heartbeat has come', SLOW);
    task.beat = { action: 'stop', reason: 'user', graceMs: 10_000 };
    await scene.untilOver(task);
    expect(task.report).toEqual({ state: 'stopped' });
  },
  SLOW,
);

test(
  'who is overtaken hears it without waiting for its next heartbeat, and the answer kills nobody',
  async () => {
    const scene = new PoolScene();
    const task = scene.add('killable', { facts: { heartbeatIntervalMs: 3_600_000 } });
    scene.run(task);
    await until(() => task.beats > 0, 'its first heartbeat has come', SLOW);
    task.epoch += 1;
    await scene.untilOver(task);
    expect(task.report).toBeNull();
    const next = await scene.finished('pid');
    expect(next.worker!.pid).toBe(task.worker!.pid);
  },
  SLOW,
);

test(
  'a deadline ends a task that listens, and one that blocks its process',
  async () => {
    const scene = new PoolScene({ timeoutGraceMs: 100 });
    for (const taskId of ['killable', 'blocking']) {
      const task = scene.add(taskId);
      // By the database's clock, a month ahead of this one.
      task.facts = { now: '2031-01-01T00:00:00.000Z', deadlineAt: '2031-01-01T00:00:00.300Z' };
      scene.run(task);
      await scene.untilOver(task);
      expect(task.report).toMatchObject({ state: 'failed', error: { code: 'E_EXECUTION_TIMEOUT' } });
    }
    expect(scene.lost.size).toBe(0);
    await scene.finished('noop');
  },
  SLOW,
);

test(
  'who has lost its epoch stops without a report, and its process goes on',
  async () => {
    const scene = new PoolScene();
    const [task] = scene.run('killable');
    await scene.untilSignal('begun');
    task!.epoch += 1;
    await scene.untilOver(task!);
    expect(task!.report).toBeNull();
    expect(scene.api.signals.map(({ key }) => key)).toEqual(['begun']);
    const next = await scene.finished('pid');
    expect(next.worker!.pid).toBe(task!.worker!.pid);
  },
  SLOW,
);

test(
  'killing a workload calls onKill, and what the task has started dies with it',
  async () => {
    const scene = new PoolScene({ size: 2 });
    const [killable, orphan] = scene.run('killable', 'orphan');
    await scene.untilSignal('begun');
    const child = (await scene.untilSignal('orphan')) as number;
    expect(scene.pool.kill([killable!.id, orphan!.id])).toEqual([]);
    await scene.untilOver(killable!, orphan!);
    expect(scene.api.signals.map(({ key, value }) => `${key} ${value}`)).toContain('killed stop');
    expect(scene.lost.get(killable!.id)).toContain('because its workload was revoked');
    await until(() => !isAlive(child), 'the child of the task is gone');
  },
  SLOW,
);

test(
  'workloads that wait behind a long task are given to another process',
  async () => {
    const scene = new PoolScene({ size: 2 });
    // Both processes have loaded the file and have been fast lately.
    await scene.untilOver(...scene.run(...Array.from({ length: 60 }, () => 'noop')));
    const [long, ...short] = scene.run('gate', ...Array.from({ length: 30 }, () => 'noop'));
    await scene.untilOver(...short);
    expect(long!.report).toBeNull();
    expect(scene.api.started.length).toBe(91);
    expect(new Set(short.map(({ worker }) => worker!.pid))).not.toContain(long!.worker!.pid);
    scene.api.open(long!.id);
    await scene.untilOver(long!);
  },
  SLOW,
);

test(
  'workloads that wait behind a task whose process dies run elsewhere, once',
  async () => {
    const scene = new PoolScene();
    await scene.untilOver(...scene.run(...Array.from({ length: 30 }, () => 'noop')));
    const [dying, ...others] = scene.run('die', ...Array.from({ length: 7 }, () => 'noop'));
    await scene.untilOver(dying!, ...others);
    expect([...scene.lost.keys()]).toEqual([dying!.id]);
    expect(new Set(scene.api.started).size).toBe(scene.api.started.length);
    expect(others.every(({ report }) => report?.state === 'success')).toBe(true);
  },
  SLOW,
);

test(
  'a report that is under way when its process dies counts',
  async () => {
    const scene = new PoolScene();
    const commit = Promise.withResolvers<void>();
    scene.api.onCall = async (method) => (method === 'finish' ? commit.promise : undefined);
    const [task] = scene.run('noop');
    await until(() => scene.api.calls.includes('finish'), 'it reports', SLOW);
    process.kill(task!.worker!.pid, 'SIGKILL');
    await until(() => !isAlive(task!.worker!.pid), 'it is dead');
    commit.resolve();
    await scene.untilOver(task!);
    expect(scene.lost.size).toBe(0);
    expect(task!.report).toMatchObject({ state: 'success' });
  },
  SLOW,
);

test(
  'a task that could not be started is lost, and its process goes on',
  async () => {
    const scene = new PoolScene();
    scene.api.onCall = (method) => {
      if (method === 'start') throw new Error('the database is away');
    };
    const [task] = scene.run('noop');
    await scene.untilOver(task!);
    expect(scene.lost.get(task!.id)).toBe('it could not be run: Error: the database is away');
    scene.api.onCall = () => {};
    await scene.finished('noop');
  },
  SLOW,
);

test(
  'a process is replaced after some tasks, and none is lost',
  async () => {
    const scene = new PoolScene({ recycleAfterTasks: 5 });
    const tasks = scene.run(...Array.from({ length: 23 }, () => 'pid'));
    await scene.untilOver(...tasks);
    const byPid = Map.groupBy(tasks, ({ worker }) => worker!.pid);
    expect([...byPid.values()].map((each) => each.length)).toEqual([5, 5, 5, 5, 3]);
    expect(scene.lost.size).toBe(0);
  },
  SLOW,
);

test(
  'new code is loaded by new processes; a task that runs is not disturbed',
  async () => {
    const file = (answer: string) => `import { dag, task } from '@windhover/core';
export const changing = dag('changing', {}, () => {
  task('answer', () => '${answer}');
  task('gate', async (context) => [await context.variable('gate'), '${answer}']);
});`;
    const project = makeProject({ 'dags/changing.ts': file('old') });
    const options = { dagId: 'changing', dagFile: 'dags/changing.ts' };
    const hashes: string[] = [];
    const code = await CodeWatcher.start(project.root, (hash) => {
      hashes.push(hash);
      scene.pool.useCode(hash);
    });
    onTestFinished(() => code.close());
    const scene: PoolScene = new PoolScene({ size: 2, projectRoot: project.root, codeHash: code.codeHash });
    const running = scene.add('gate', options);
    scene.run(running);
    expect((await scene.finished('answer', options)).report).toMatchObject({ result: { value: 'old' } });
    project.write({ 'dags/changing.ts': file('new') });
    await until(() => hashes.length > 0, 'the change is seen', SLOW);
    const after = await scene.finished('answer', options);
    expect(after.report).toMatchObject({ result: { value: 'new' } });
    expect(after.worker!.codeHash).toBe(hashes.at(-1));
    scene.api.open(running.id);
    await scene.untilOver(running);
    expect(running.report).toMatchObject({ result: { value: ['open', 'old'] } });
    await until(() => !isAlive(running.worker!.pid), 'the old process has ended', SLOW);
  },
  SLOW,
);

test(
  'an XCom backend is loaded by its classpath, keeps large values for other processes, and is closed',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'windhover-xcom-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const backend = { classpath: 'project:lib/file-xcom-backend.ts#FileXComBackend', options: { folder } };
    // Two processes, one for each task.
    const scene = new PoolScene({ size: 0, xcomLimitBytes: 100, xcomBackend: backend });
    const large = await scene.finished('large');
    expect(large.report).toMatchObject({ state: 'success', result: { type: 'reference' } });
    if (large.report?.state === 'success') large.xcoms.set('return_value', large.report.result);
    const length = await scene.finished('length_of_large');
    expect(length.report).toMatchObject({ result: { value: 1_000 } });
    await scene.pool.close();
    const closed = readFileSync(join(folder, 'closed'), 'utf8').trim().split('\n').map(Number);
    expect(closed.sort()).toEqual([large.worker!.pid, length.worker!.pid].sort());
  },
  SLOW,
);

test(
  'an XCom backend that cannot be loaded fails only tasks that need it, with the reason',
  async () => {
    const options = { xcomLimitBytes: 100 };
    for (const [classpath, code] of [
      ['project:lib/no-such-file.ts#Backend', 'E_CLASSPATH_FILE'],
      ['project:lib/hooks.ts#WorkingHook', 'E_CLASSPATH_KIND'],
    ] as const) {
      const scene = new PoolScene({ ...options, xcomBackend: { classpath, options: {} } });
      expect((await scene.finished('pid')).report).toMatchObject({ state: 'success' });
      expect((await scene.finished('large')).report).toMatchObject({ state: 'failed', error: { code } });
    }
  },
  SLOW,
);

test(
  'size 0 starts a process for each workload',
  async () => {
    const scene = new PoolScene({ size: 0 });
    const tasks = scene.run('pid', 'pid', 'pid');
    await scene.untilOver(...tasks);
    expect(new Set(tasks.map(({ worker }) => worker!.pid)).size).toBe(3);
    await until(() => tasks.every(({ worker }) => !isAlive(worker!.pid)), 'the processes have ended', SLOW);
  },
  SLOW,
);

test(
  'when no process can be started, workloads are lost with the reason',
  async () => {
    const scene = new PoolScene({ projectRoot: '/no/such/project' });
    const [task] = scene.run('noop');
    await scene.untilOver(task!);
    expect(scene.lost.get(task!.id)).toMatch(/^No process could be started for it\. /);
  },
  SLOW,
);

test(
  'a library of the task finds no parent to greet',
  async () => {
    const scene = new PoolScene();
    expect((await scene.finished('greets_its_parent')).report).toMatchObject({ result: { value: 'undefined' } });
  },
  SLOW,
);

for (const taskId of ['killable', 'deaf', 'blocking']) {
  test(
    `when its pool is killed, the process of a ${taskId} task is gone within a second or so`,
    async () => {
      const script = join(import.meta.dirname, 'fixtures/tasks/pool-host.ts');
      const host: ChildProcess = fork(script, [PROJECT, taskId], { execArgv: userCodeExecArgv() });
      onTestFinished(() => void host.kill('SIGKILL'));
      const [pid] = (await once(host, 'message')) as [number];
      expect(isAlive(pid)).toBe(true);
      host.kill('SIGKILL');
      const at = performance.now();
      await until(() => !isAlive(pid), 'the process is gone', SLOW);
      expect(performance.now() - at).toBeLessThan(1_500);
    },
    SLOW,
  );
}

test('throughput of 2,000 tasks that do nothing', async () => {
  for (const size of [1, 2, 4]) {
    const scene = new PoolScene({ size, recycleAfterTasks: 1_000_000 });
    await scene.untilOver(...scene.run(...Array.from({ length: size * 10 }, () => 'noop')));
    const tasks = Array.from({ length: 2_000 }, () => scene.add('noop'));
    const at = performance.now();
    scene.pool.run(tasks.map(({ workload }) => workload));
    while (scene.over.length < 2_000 + size * 10) await new Promise((resolve) => setTimeout(resolve, 1));
    const seconds = (performance.now() - at) / 1_000;
    console.log(`${size} processes: ${Math.round(2_000 / seconds)} tasks/s`);
    await scene.pool.close();
  }
}, 60_000);
