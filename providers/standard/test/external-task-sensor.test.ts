import type { RunStates, RunStatesQuery } from '@windhover/core';
import { type BackendAnswer, runOperator, testSensor, testTrigger, type VirtualClock } from '@windhover/core/testing';
import { describe, expect, test } from 'vitest';
import { ExternalTaskSensor, type ExternalTaskSensorArgs, ExternalTaskTrigger } from '../src/index.ts';

const logicalDate = new Date('2026-01-01T00:00:00.000Z');

/** Another DAG whose task `load` ends as the script says. */
function scriptedRun(script: readonly BackendAnswer[], clock: VirtualClock) {
  const checks: Date[] = [];
  return {
    checks: () => checks,
    runStates: ({ dagId, taskIds }: RunStatesQuery): readonly RunStates[] => {
      expect([dagId, taskIds]).toEqual(['sales', ['load']]);
      const answer = script[Math.min(checks.push(clock.now()), script.length) - 1]!;
      if (answer === 'transient') throw Object.assign(new Error('connection reset'), { code: 'ECONNRESET' });
      const state = ({ pending: 'running', done: 'success', failed: 'failed' } as const)[answer];
      return [{ runId: 'r', logicalDate, state: 'running', tasks: { load: state } }];
    },
  };
}

const waitForLoad = { externalDagId: 'sales', externalTaskId: 'load', failedStates: ['failed'] } as const;

describe('ExternalTaskSensor', () => {
  const suite = testSensor({
    backend: scriptedRun,
    sensor: (_backend, options) => new ExternalTaskSensor({ ...waitForLoad, ...options }),
  });
  for (const { name, run } of suite) test(name, run);
});

describe('ExternalTaskTrigger', () => {
  const suite = testTrigger({
    load: (specifier) => import(specifier),
    backend: scriptedRun,
    interval: '30s',
    trigger: () =>
      new ExternalTaskTrigger({
        dagId: 'sales',
        logicalDates: [logicalDate],
        taskIds: ['load'],
        allowedStates: ['success'],
        skippedStates: [],
        failedStates: ['failed'],
        interval: '30s',
        exponentialBackoff: false,
        checksBefore: 1,
        failuresBefore: 0,
        softFail: false,
      }),
  });
  for (const { name, run } of suite) test(name, run);
});

describe('what is waited for', () => {
  test('the run as a whole, where no task is named', async () => {
    const run = await look({}, [{ runId: 'r', logicalDate, state: 'success', tasks: {} }]);
    expect(run).toMatchObject({ state: 'success', result: true, elapsedMs: 0 });
  });

  test('all of several tasks', async () => {
    const tasks = { externalTaskIds: ['a', 'b'] };
    expect((await look(tasks, [runWith({ a: 'success', b: 'running' })])).state).toBe('failed');
    expect((await look(tasks, [runWith({ a: 'success' })])).state).toBe('failed');
    expect((await look(tasks, [runWith({ a: 'success', b: 'success' })])).state).toBe('success');
  });

  test('all tasks of a group, which must have some', async () => {
    const group = { externalTaskGroupId: 'extract' };
    expect((await look(group, [runWith({})])).state).toBe('failed');
    expect((await look(group, [runWith({ 'extract.a': 'success', 'extract.b': 'queued' })])).state).toBe('failed');
    expect((await look(group, [runWith({ 'extract.a': 'success', 'extract.b': 'success' })])).state).toBe('success');
  });

  test('a run that does not exist yet is waited for', async () => {
    expect(await look({}, [])).toMatchObject({ state: 'failed', error: { code: 'E_DEFERRAL_TIMEOUT' } });
  });

  test('the run so much earlier as executionDelta says', async () => {
    const asked: RunStatesQuery[] = [];
    await look({ executionDelta: '1h' }, [], asked);
    expect(asked[0]!.logicalDates).toEqual([new Date('2025-12-31T23:00:00.000Z')]);
  });

  test('each of the runs that executionDateFn names', async () => {
    const dates = [new Date('2025-12-30'), new Date('2025-12-31')];
    const runs = dates.map((date) => ({ ...runWith({}), logicalDate: date, state: 'success' as const }));
    expect((await look({ executionDateFn: () => dates }, runs)).state).toBe('success');
    expect((await look({ executionDateFn: () => dates }, runs.slice(1))).state).toBe('failed');
  });

  test('a skipped state skips this task too, in every mode', async () => {
    for (const mode of ['defer', 'poke', 'reschedule'] as const) {
      const args = { externalTaskId: 'load', skippedStates: ['skipped' as const], mode };
      expect((await look(args, [runWith({ load: 'skipped' })])).state).toBe('skipped');
    }
  });

  test('a failed state fails this task and names the other one', async () => {
    const run = await look({ externalTaskId: 'load', failedStates: ['failed'] }, [runWith({ load: 'failed' })]);
    expect(run.error).toMatchObject({ code: 'E_EXTERNAL_TASK_FAILED' });
    expect(run.error!.message).toContain('task "load" of DAG "sales", is failed');
  });

  test('a failure that comes while it waits skips with softFail', async () => {
    let looks = 0;
    const run = await runOperator(new ExternalTaskSensor({ ...waitForLoad, taskId: 'wait', softFail: true }), {
      runStates: () => [runWith({ load: ++looks > 3 ? 'failed' : 'running' })],
    });
    expect([run.state, looks]).toEqual(['skipped', 4]);
  });

  async function look(
    args: Omit<ExternalTaskSensorArgs, 'externalDagId'>,
    runs: readonly RunStates[],
    asked: RunStatesQuery[] = [],
  ) {
    const sensor = new ExternalTaskSensor({ taskId: 'wait', externalDagId: 'sales', timeout: '5m', ...args });
    return runOperator(sensor, {
      runStates: (query) => {
        asked.push(query);
        return runs;
      },
    });
  }

  function runWith(tasks: RunStates['tasks']): RunStates {
    return { runId: 'r', logicalDate, state: 'running', tasks };
  }
});

test('options that exclude each other are refused when the DAG is made', () => {
  const make = (args: object) => () => new ExternalTaskSensor({ taskId: 'wait', externalDagId: 'sales', ...args });
  expect(make({ externalTaskId: 'a', externalTaskGroupId: 'b' })).toThrow(
    'Task "wait" has a wrong option "externalTaskGroupId": it cannot stand beside "externalTaskId"; pass one.',
  );
  expect(make({ executionDelta: '1h', executionDateFn: () => new Date() })).toThrow('"executionDateFn"');
});
