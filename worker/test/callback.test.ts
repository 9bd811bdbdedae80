import type { StartedCallback } from '@windhover/core';
import { until } from '@windhover/core/testing';
import { expect, test } from 'vitest';
import { makeProject } from './fixtures/projects/temporary-project.ts';
import type { CallbackOptions, MemoryCallback } from './fixtures/tasks/memory-task-api.ts';
import { PoolScene, SLOW } from './fixtures/tasks/pool-scene.ts';

const RUN = { dagId: 'callbacks', runId: 'manual__2026-01-01T00:00:00.000Z' };

function onFailure(taskId: string): StartedCallback['callback'] {
  return { type: 'task', name: 'onFailure', key: { ...RUN, taskId, mapIndex: -1 } };
}

/** Runs the callback `onFailure` of a task of `dags/callbacks.ts`. */
function called(scene: PoolScene, taskId: string, options?: CallbackOptions): Promise<MemoryCallback> {
  return scene.runToEnd(scene.api.addCallback(onFailure(taskId), options));
}

test(
  'a callback of a task gets the facts of its transition, and asks the platform in its own name',
  async () => {
    const scene = new PoolScene();
    scene.api.connections.acme = { connType: 'http', host: 'acme.example' };
    scene.api.variables.color = 'red';
    scene.add('upstream').xcoms.set('return_value', { type: 'value', value: { n: 7 } });
    const callback = await called(scene, 'tells', {
      state: 'failed',
      error: { name: 'Error', message: 'as expected' },
      facts: {
        attempt: 3,
        params: { p: 1 },
        now: '2031-01-01T00:00:00.000Z',
        sensorStartedAt: '2026-01-01T00:00:01.000Z',
      },
    });
    expect(callback.end).toEqual({ error: null });
    expect(await scene.untilSignal('seen')).toEqual({
      ...RUN,
      taskId: 'tells',
      mapIndex: -1,
      tryNumber: 1,
      attempt: 3,
      versionHash: 'v1',
      state: 'failed',
      params: { p: 1 },
      conf: {},
      error: 'as expected',
      dates: ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-01T00:00:01.000Z'],
      // By the database's clock, not by this machine's.
      year: 2031,
      signals: [],
      pulled: 7,
      nothing: true,
      host: 'acme.example',
      color: 'red',
      missing: 'E_VARIABLE_NOT_FOUND',
      other: 'success',
    });
    expect(scene.lost.size).toBe(0);
  },
  SLOW,
);

test(
  'callbacks of a DAG are found by their name, and those of deadlines by their position',
  async () => {
    const scene = new PoolScene();
    const add = (callback: StartedCallback['callback'], options: CallbackOptions) =>
      scene.runToEnd(scene.api.addCallback(callback, options));
    const error = { name: 'Error', message: 'a task has failed' };
    const ended = [
      await add({ type: 'dag', name: 'onSuccess', ...RUN }, { state: 'success' }),
      await add({ type: 'dag', name: 'onFailure', ...RUN }, { state: 'failed', error }),
      await add({ type: 'deadline', position: 1, ...RUN }, { state: 'running' }),
    ];
    expect(ended.map(({ end }) => end)).toEqual([{ error: null }, { error: null }, { error: null }]);
    expect(ended.flatMap(({ lines }) => lines)).toEqual([
      'success of callbacks: success',
      'failure: a task has failed',
      `second deadline of ${RUN.runId}`,
    ]);
  },
  SLOW,
);

test(
  'a callback that throws is reported with its error, secrets masked, and its process goes on',
  async () => {
    const scene = new PoolScene();
    scene.api.connections.acme = { connType: 'http', password: 'h@rd 2 guess' };
    const callback = await called(scene, 'throws');
    expect(callback.end!.error).toMatchObject({ name: 'RangeError', message: 'no mail for ***' });
    expect(callback.lines[0]).toBe('before with ***');
    expect(callback.lines[1]).toMatch(/^RangeError: no mail for \*\*\*\n {4}at .*callbacks\.ts/);
    const next = await called(scene, 'succeeds');
    expect(scene.pids.get(next.id)).toBe(scene.pids.get(callback.id));
    expect(scene.lost.size).toBe(0);
    expect(scene.api.calls.filter((call) => call === 'startCallback').length).toBe(2);
  },
  SLOW,
);

test(
  'what a callback prints is in its log, which is written under the name of its workload',
  async () => {
    const scene = new PoolScene();
    const callback = await called(scene, 'prints');
    expect(callback.records.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warning: printed',
      'info: without an end',
    ]);
    expect(callback.chunks.map(({ writer, sequence }) => [writer, sequence])).toEqual([[callback.workload.id, 0]]);
    expect(scene.output).toEqual([]);
  },
  SLOW,
);

test(
  'a callback that takes too long is given up: one that listens, one that does not, and one that blocks its process',
  async () => {
    const scene = new PoolScene({ callbackTimeoutMs: 100 });
    for (const [taskId, isProcessKept] of [
      ['listens', true],
      ['deaf', false],
      ['blocks', false],
    ] as const) {
      const callback = await called(scene, taskId);
      expect(callback.end!.error).toMatchObject({
        code: 'E_CALLBACK_TIMEOUT',
        message: expect.stringContaining(
          `The callback onFailure of task "${taskId}" of DAG "callbacks" did not end within 100 ms and was given up.`,
        ),
      });
      const next = await called(scene, 'succeeds');
      expect(scene.pids.get(next.id) === scene.pids.get(callback.id)).toBe(isProcessKept);
    }
    expect(scene.lost.size).toBe(0);
  },
  SLOW,
);

test(
  'a callback that is no longer in its file is reported, and so is a task, a DAG or a file that is gone',
  async () => {
    const project = makeProject({
      'dags/now.ts': `import { dag, task } from '@windhover/core';
export const now = dag('now', { deadlines: [] }, () => void task('load', () => 1));`,
      'dags/broken.ts': `throw new Error('half a file');`,
    });
    const scene = new PoolScene({ projectRoot: project.root });
    const run = { dagId: 'now', runId: RUN.runId };
    const load = (taskId: string) =>
      ({ type: 'task', name: 'onRetry', key: { ...run, taskId, mapIndex: -1 } }) as const;
    const error = async (callback: StartedCallback['callback'], dagFile = 'dags/now.ts') =>
      (await scene.runToEnd(scene.api.addCallback(callback, { dagFile }))).end!.error;
    expect(await error(load('load'))).toMatchObject({
      code: 'E_CALLBACK_REMOVED',
      message:
        'Cannot call the callback onRetry of task "load" of DAG "now": version v1 of the DAG had it, but dags/now.ts has it no more. ' +
        'It is not called for this run; put it back if it is to be called for the next one.',
    });
    expect(await error({ type: 'dag', name: 'onFailure', ...run })).toMatchObject({ code: 'E_CALLBACK_REMOVED' });
    expect(await error({ type: 'deadline', position: 0, ...run })).toMatchObject({
      code: 'E_CALLBACK_REMOVED',
      message: expect.stringContaining('the callback deadlines[0] of DAG "now"'),
    });
    expect(await error(load('gone'))).toMatchObject({ code: 'E_TASK_REMOVED' });
    expect(await error({ type: 'dag', name: 'onFailure', ...run, dagId: 'gone' })).toMatchObject({
      code: 'E_TASK_REMOVED',
    });
    expect(await error(load('load'), 'dags/gone.ts')).toMatchObject({ code: 'E_TASK_REMOVED' });
    expect(await error(load('load'), 'dags/broken.ts')).toMatchObject({ code: 'E_DAG_IMPORT' });
    expect(scene.lost.size).toBe(0);
  },
  SLOW,
);

test(
  'a callback that was run already is not called again',
  async () => {
    const scene = new PoolScene();
    const callback = await called(scene, 'succeeds');
    expect(callback.lines).toEqual(['called']);
    scene.over.length = 0;
    await scene.runToEnd(callback);
    expect(callback.lines).toEqual(['called']);
    expect(scene.lost.size).toBe(0);
    expect(scene.api.calls.filter((call) => call === 'finishCallback').length).toBe(1);
  },
  SLOW,
);

test(
  'a callback whose process dies is lost with the reason, and the next one goes on',
  async () => {
    const scene = new PoolScene();
    const callback = await called(scene, 'dies');
    expect(callback.end).toBeNull();
    expect(scene.lost.get(callback.id)).toMatch(/^Its process \(pid \d+\) was killed by SIGKILL/);
    expect((await called(scene, 'succeeds')).end).toEqual({ error: null });
  },
  SLOW,
);

test(
  'an error that nobody caught fails the callback, and its process is replaced',
  async () => {
    const scene = new PoolScene();
    const callback = await called(scene, 'strays');
    expect(callback.end!.error).toMatchObject({ name: 'RangeError', message: 'from a timer' });
    const next = await called(scene, 'succeeds');
    expect(scene.pids.get(next.id)).not.toBe(scene.pids.get(callback.id));
    expect(scene.lost.size).toBe(0);
  },
  SLOW,
);

test(
  'a callback can be revoked while it runs, and before it has begun',
  async () => {
    const scene = new PoolScene();
    const [running, waiting] = ['waits', 'succeeds'].map((taskId) => scene.api.addCallback(onFailure(taskId)));
    scene.pool.run([running!.workload, waiting!.workload]);
    await until(() => scene.api.calls.includes('variable'), 'the first one waits', SLOW);
    expect(scene.pool.kill([running!.id, waiting!.id])).toEqual([waiting!.id]);
    await scene.untilOver(running!);
    expect(scene.lost.get(running!.id)).toContain('because its workload was revoked');
    expect([running!.end, waiting!.end]).toEqual([null, null]);
    expect(scene.api.started).toEqual([running!.id]);
  },
  SLOW,
);

test(
  'a report that fails in passing is made again, and one that is refused loses the callback',
  async () => {
    const scene = new PoolScene();
    let failures = 0;
    scene.api.onCall = (method) => {
      if (method === 'finishCallback' && failures++ === 0)
        throw Object.assign(new Error('busy'), { code: 'ECONNRESET' });
    };
    expect((await called(scene, 'succeeds')).end).toEqual({ error: null });
    expect(failures).toBe(2);
    scene.api.onCall = (method) => {
      if (method === 'finishCallback') throw new TypeError('not like this');
    };
    const refused = await called(scene, 'succeeds');
    expect(scene.lost.get(refused.id)).toBe('it could not be run: TypeError: not like this');
  },
  SLOW,
);
