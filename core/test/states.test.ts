import { describe, expect, test } from 'vitest';
import {
  assertDagRunTransition,
  assertTransition,
  canBecome,
  canDagRunBecome,
  DAG_RUN_STATES,
  DAG_RUN_TYPES,
  type DagRunState,
  formatRunId,
  formatTaskInstanceKey,
  InvalidTransitionError,
  isDagRunFinished,
  isTerminal,
  statesBefore,
  TASK_INSTANCE_STATES,
  type TaskInstanceState,
} from '../src/index.ts';

const TERMINAL: readonly TaskInstanceState[] = [
  'success',
  'failed',
  'skipped',
  'upstream_failed',
  'stopped',
  'removed',
];
const ACTIVE: readonly TaskInstanceState[] = [
  'none',
  'scheduled',
  'queued',
  'running',
  'deferred',
  'up_for_retry',
  'up_for_reschedule',
];

function nextOf(from: TaskInstanceState): readonly TaskInstanceState[] {
  return TASK_INSTANCE_STATES.filter((to) => canBecome(from, to));
}

describe('a task instance', () => {
  test('has the thirteen states of the design', () => {
    expect([...TASK_INSTANCE_STATES].sort()).toStrictEqual([...ACTIVE, ...TERMINAL].sort());
  });

  test.each(TERMINAL)('is finished when it is %s', (state) => {
    expect(isTerminal(state)).toBe(true);
  });

  test.each(ACTIVE)('is not finished when it is %s', (state) => {
    expect(isTerminal(state)).toBe(false);
  });

  test.each(TASK_INSTANCE_STATES)('does not become %s twice in a row', (state) => {
    expect(canBecome(state, state)).toBe(false);
  });

  test.each(TERMINAL)('leaves %s only by a clear, which begins at none, or by a mark', (state) => {
    const marks = state === 'removed' ? [] : ['success', 'failed', 'skipped'].filter((mark) => mark !== state);
    expect([...nextOf(state)].sort()).toStrictEqual(['none', ...marks].sort());
  });

  test.each(ACTIVE)('can be ended at once when it is %s: marked, stopped or removed', (state) => {
    expect(nextOf(state)).toEqual(expect.arrayContaining(['success', 'failed', 'skipped', 'stopped', 'removed']));
  });

  test.each(TASK_INSTANCE_STATES.filter((state) => state !== 'none'))('can be cleared when it is %s', (state) => {
    expect(canBecome(state, 'none')).toBe(true);
  });

  test.each(TASK_INSTANCE_STATES)('can come from %s to every other state', (state) => {
    const reached = new Set([state]);
    for (const each of reached) for (const next of nextOf(each)) reached.add(next);
    expect(reached.size).toBe(TASK_INSTANCE_STATES.length);
  });

  test.each<[string, readonly TaskInstanceState[]]>([
    ['runs and succeeds', ['none', 'scheduled', 'queued', 'running', 'success']],
    ['defers and resumes', ['none', 'scheduled', 'queued', 'running', 'deferred', 'scheduled', 'queued', 'running']],
    ['resumes straight to its executor', ['running', 'deferred', 'queued', 'running', 'success']],
    ['begins in the triggerer', ['none', 'scheduled', 'deferred', 'success']],
    ['retries after a failure', ['running', 'up_for_retry', 'scheduled', 'queued', 'running', 'failed']],
    ['retries after its trigger failed', ['deferred', 'up_for_retry', 'scheduled']],
    ['reschedules itself', ['running', 'up_for_reschedule', 'scheduled', 'queued', 'running', 'success']],
    ['goes back when its worker was lost before it started', ['queued', 'scheduled', 'queued', 'running']],
    ['is stopped while it waits', ['deferred', 'stopped']],
    ['is stopped and started again by a signal', ['running', 'stopped', 'none', 'scheduled']],
    ['fails with its upstream', ['none', 'upstream_failed', 'none', 'scheduled']],
    ['is skipped by a branch', ['none', 'skipped']],
    ['comes back into its DAG', ['removed', 'none']],
  ])('%s', (_name, path) => {
    for (const [index, to] of path.entries()) {
      if (index > 0) expect(() => assertTransition(path[index - 1]!, to)).not.toThrow();
    }
  });

  test.each<[TaskInstanceState, TaskInstanceState, string]>([
    ['none', 'running', 'runs without being queued'],
    ['none', 'queued', 'is queued without being scheduled'],
    ['scheduled', 'running', 'runs without being queued'],
    ['deferred', 'running', 'resumes without being queued'],
    ['up_for_retry', 'running', 'retries without being queued'],
    ['success', 'running', 'runs again without a clear'],
    ['failed', 'up_for_retry', 'is retried after its final failure'],
    ['success', 'deferred', 'defers after its end'],
    ['success', 'stopped', 'is stopped after its end'],
    ['running', 'upstream_failed', 'blames its upstream while it runs'],
    ['removed', 'success', 'is marked although its DAG no longer has it'],
  ])('never goes from %s to %s: it %s', (from, to) => {
    expect(() => assertTransition(from, to)).toThrow(InvalidTransitionError);
  });

  test('may come to running only from queued, so that each run was handed over once', () => {
    expect(statesBefore('running')).toStrictEqual(['queued']);
  });

  test.each<[TaskInstanceState, readonly TaskInstanceState[]]>([
    ['deferred', ['scheduled', 'running']],
    ['queued', ['scheduled', 'deferred', 'up_for_retry', 'up_for_reschedule']],
    ['up_for_reschedule', ['running']],
    ['upstream_failed', ['none', 'scheduled', 'up_for_retry']],
    ['stopped', ACTIVE],
    ['removed', ACTIVE],
  ])('comes to %s from these states and no others', (to, before) => {
    expect([...statesBefore(to)].sort()).toStrictEqual([...before].sort());
  });

  test('an invalid transition says what is possible instead', () => {
    expect(() => assertTransition('success', 'running')).toThrow(
      'The task instance cannot go from "success" to "running". From "success" it can become: none, failed, skipped.',
    );
    expect(() => assertTransition('removed', 'queued', 'task "load"')).toThrow(
      'The task "load" cannot go from "removed" to "queued". From "removed" it can become: none.',
    );
  });

  test('has a name for people, with the map index only where it is mapped', () => {
    const key = { dagId: 'daily', runId: 'manual__x', taskId: 'load', mapIndex: -1 };
    expect(formatTaskInstanceKey(key)).toBe('daily / manual__x / load');
    expect(formatTaskInstanceKey({ ...key, mapIndex: 0 })).toBe('daily / manual__x / load[0]');
  });
});

describe('a DAG run', () => {
  test('goes only where its table says', () => {
    const table = Object.fromEntries(
      DAG_RUN_STATES.map((from) => [from, DAG_RUN_STATES.filter((to) => canDagRunBecome(from, to)).sort()]),
    );
    expect(table).toStrictEqual({
      queued: ['failed', 'running', 'success'],
      running: ['failed', 'queued', 'success'],
      success: ['failed', 'queued'],
      failed: ['queued', 'success'],
    });
  });

  test('is finished by success and failure only', () => {
    expect(DAG_RUN_STATES.filter(isDagRunFinished)).toStrictEqual(['success', 'failed']);
  });

  test.each<DagRunState>(['success', 'failed'])('that is %s runs again only through the queue', (state) => {
    expect(canDagRunBecome(state, 'running')).toBe(false);
    expect(canDagRunBecome(state, 'queued')).toBe(true);
  });

  test('that cannot go somewhere says where it can go', () => {
    expect(() => assertDagRunTransition('success', 'running')).toThrow(
      'The DAG run cannot go from "success" to "running". From "success" it can become: queued, failed.',
    );
    expect(() => assertDagRunTransition('queued', 'running')).not.toThrow();
  });

  test.each(DAG_RUN_TYPES)('of type %s is named by type and instant', (type) => {
    expect(formatRunId(type, new Date('2026-01-01T00:00:00Z'))).toBe(`${type}__2026-01-01T00:00:00.000Z`);
  });

  test('has the types of the design', () => {
    expect(DAG_RUN_TYPES).toStrictEqual(['scheduled', 'manual', 'backfill', 'signal']);
  });

  test('keeps the milliseconds in its name, because two runs may be one apart', () => {
    const first = formatRunId('manual', new Date(1));
    expect(first).not.toBe(formatRunId('manual', new Date(2)));
  });
});
