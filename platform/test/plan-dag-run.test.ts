import { chain, dag, serializeDag, TASK_INSTANCE_STATES, type TaskInstanceState, task } from '@windhover/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeVersion } from '../src/dags/dag-versions.ts';
import { affectedBy, type PlannedTask, planDagRun, planTasks, runOutcome } from '../src/scheduler/plan-dag-run.ts';

const now = new Date('2026-01-01T12:00:00.000Z');
const noop = () => {};
const versionOf = (build: () => void) => makeVersion(1, 'hash', serializeDag(dag('d', {}, build)));
const states = (given: Record<string, TaskInstanceState | PlannedTask>) =>
  new Map(
    Object.entries(given).map(([taskId, value]) => [
      taskId,
      typeof value === 'string' ? { state: value, resumeAt: null } : value,
    ]),
  );

const diamond = versionOf(() => {
  chain(task('a', noop), [task('b', noop), task('c', noop)], task('d', noop));
});

describe('planning a run', () => {
  test('begins with the tasks that have nothing above them', () => {
    expect(planDagRun(diamond, states({ a: 'none', b: 'none', c: 'none', d: 'none' }), { now })).toEqual([
      { taskId: 'a', type: 'schedule' },
    ]);
  });

  test('goes on with those whose trigger rule is satisfied, and gives up those whose rule cannot be', () => {
    const after = (b: TaskInstanceState, c: TaskInstanceState) =>
      planDagRun(diamond, states({ a: 'success', b, c, d: 'none' }), { now });
    expect(after('none', 'running')).toEqual([{ taskId: 'b', type: 'schedule' }]);
    expect(after('success', 'running')).toEqual([]);
    expect(after('success', 'success')).toEqual([{ taskId: 'd', type: 'schedule' }]);
    expect(after('failed', 'running')).toEqual([{ taskId: 'd', type: 'upstreamFail' }]);
    expect(after('skipped', 'success')).toEqual([{ taskId: 'd', type: 'skip' }]);
  });

  test('starts a retry or a reschedule when its time has come, not before', () => {
    const at = (resumeAt: Date, state: TaskInstanceState) =>
      planDagRun(diamond, states({ a: { state, resumeAt }, b: 'none', c: 'none', d: 'none' }), { now });
    const [past, future] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
    expect(at(past, 'up_for_retry')).toEqual([{ taskId: 'a', type: 'schedule' }]);
    expect(at(future, 'up_for_retry')).toEqual([]);
    expect(at(now, 'up_for_reschedule')).toEqual([{ taskId: 'a', type: 'schedule' }]);
  });

  test('holds back what waits for the run before', () => {
    const facts = { now, isHeldByPast: ({ taskId }: { taskId: string }) => taskId === 'a' };
    expect(planDagRun(diamond, states({ a: 'none', b: 'none', c: 'none', d: 'none' }), facts)).toEqual([]);
  });

  test('asks only the tasks directly below a task that has ended, and misses nothing by it', () => {
    expect([...affectedBy(diamond, ['a'])]).toEqual(['b', 'c']);
    const anyState = fc.constantFrom(...TASK_INSTANCE_STATES);
    fc.assert(
      fc.property(
        anyState,
        anyState,
        anyState,
        anyState,
        fc.constantFrom('a', 'b', 'c', 'd'),
        anyState,
        (a, b, c, d, changed, state) => {
          const before = states({ a, b, c, d });
          const open = new Set(planDagRun(diamond, before, { now }).map(({ taskId }) => taskId));
          const after = new Map(before).set(changed, { state, resumeAt: null });
          const whole = planDagRun(diamond, after, { now }).filter(
            ({ taskId }) => !open.has(taskId) && taskId !== changed,
          );
          const part = planTasks(diamond, after, affectedBy(diamond, [changed]), { now }).filter(
            ({ taskId }) => !open.has(taskId),
          );
          expect(part).toEqual(whole);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('the outcome of a run', () => {
  const outcome = (a: TaskInstanceState, b: TaskInstanceState, c: TaskInstanceState, d: TaskInstanceState) =>
    runOutcome(diamond, states({ a, b, c, d }))?.state ?? null;

  test('is open while anything runs, waits or may be retried: all deferred is no deadlock', () => {
    for (const state of ['scheduled', 'queued', 'running', 'deferred', 'up_for_retry', 'up_for_reschedule'] as const) {
      expect(outcome('success', state, state, 'none')).toBe(null);
    }
  });

  test('is decided by the last tasks', () => {
    expect(outcome('success', 'success', 'success', 'success')).toBe('success');
    expect(outcome('success', 'success', 'skipped', 'skipped')).toBe('success');
    expect(outcome('success', 'failed', 'success', 'upstream_failed')).toBe('failed');
    expect(outcome('success', 'failed', 'success', 'success')).toBe('success');
  });

  test('is a failure with that reason when nothing can run any more', () => {
    expect(runOutcome(diamond, states({ a: 'success', b: 'success', c: 'success', d: 'none' }))).toEqual({
      state: 'failed',
      reason: 'deadlock: d can never run',
    });
  });
});

test('a task has the weight of all below it, of all above it, or its own', () => {
  const weigh = (weightRule: 'downstream' | 'upstream' | 'absolute') =>
    Object.fromEntries(
      versionOf(() => {
        const [a, b, c] = ['a', 'b', 'c'].map((id, index) => task(id, noop, { weightRule, priorityWeight: index + 1 }));
        chain(a!, b!, c!);
      }).weights,
    );
  expect(weigh('downstream')).toEqual({ a: 6, b: 5, c: 3 });
  expect(weigh('upstream')).toEqual({ a: 1, b: 3, c: 6 });
  expect(weigh('absolute')).toEqual({ a: 1, b: 2, c: 3 });
});
