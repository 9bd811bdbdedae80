import { dag, type RunStates } from '@windhover/core';
import { runOperator, VirtualClock } from '@windhover/core/testing';
import { describe, expect, test } from 'vitest';
import { BranchOperator, EmptyOperator, LatestOnlyOperator, ShortCircuitOperator } from '../src/index.ts';

test('an EmptyOperator succeeds without a result', async () => {
  const run = await runOperator(new EmptyOperator({ taskId: 'meet' }));
  expect([run.state, run.result]).toEqual(['success', undefined]);
});

test('a BranchOperator skips what was not chosen', async () => {
  let which!: BranchOperator;
  dag('branching', {}, () => {
    which = new BranchOperator({ taskId: 'which', choose: ({ conf }) => String(conf.load) });
    which.before([new EmptyOperator({ taskId: 'full' }), new EmptyOperator({ taskId: 'delta' })]);
  });
  expect((await runOperator(which, { conf: { load: 'full' } })).skippedTaskIds).toEqual(['delta']);
  expect((await runOperator(which, { conf: { load: 'delta' } })).skippedTaskIds).toEqual(['full']);
  const wrong = await runOperator(which, { conf: { load: 'none' } });
  expect(wrong.error!.message).toContain('chose "none", which is not directly below it');
});

test('a ShortCircuitOperator skips all that comes after it, or nothing', async () => {
  let any!: ShortCircuitOperator;
  dag('short', {}, () => {
    any = new ShortCircuitOperator({ taskId: 'any', condition: ({ conf }) => conf.rows === 1 });
    any.before(new EmptyOperator({ taskId: 'load' })).before(new EmptyOperator({ taskId: 'report' }));
  });
  expect((await runOperator(any, { conf: { rows: 1 } })).skippedTaskIds).toEqual([]);
  expect((await runOperator(any, { conf: { rows: 0 } })).skippedTaskIds).toEqual(['load', 'report']);
});

describe('LatestOnlyOperator', () => {
  // The run of 2026-01-01 is due at the end of that day.
  const logicalDate = new Date('2026-01-01T00:00:00.000Z');

  test('lets the latest run go on, also when its own tasks are seen running', async () => {
    expect(await skipped('2026-01-02T00:05:00Z', [runOf('2026-01-01', 'running')])).toEqual([]);
  });

  test('skips what is directly below when the next run exists', async () => {
    expect(await skipped('2026-01-02T23:00:00Z', [runOf('2026-01-02', 'success')])).toEqual(['load']);
  });

  test('skips it when a later run goes on, as after missed intervals', async () => {
    expect(await skipped('2026-01-02T23:00:00Z', [runOf('2026-01-09', 'running')])).toEqual(['load']);
  });

  test('skips it when the next interval has passed too, as when catching up', async () => {
    expect(await skipped('2026-01-03T00:00:01Z', [])).toEqual(['load']);
  });

  test('lets a run that somebody started by hand go on', async () => {
    expect(await skipped('2026-02-01T00:00:00Z', [runOf('2026-01-02', 'success')], 'manual')).toEqual([]);
  });

  async function skipped(now: string, runs: readonly RunStates[], runType: 'scheduled' | 'manual' = 'scheduled') {
    // The test host has only runs by hand, so the type is given here.
    class Latest extends LatestOnlyOperator {
      override chooseBranch(context: Parameters<LatestOnlyOperator['chooseBranch']>[0]) {
        return super.chooseBranch({ ...context, runType });
      }
    }
    let latest!: Latest;
    dag('latest', {}, () => {
      latest = new Latest({ taskId: 'latest' });
      latest.before(new EmptyOperator({ taskId: 'load' })).before(new EmptyOperator({ taskId: 'report' }));
    });
    const run = await runOperator(latest, {
      clock: new VirtualClock(new Date(now)),
      logicalDate,
      runStates: ({ logicalDates }) =>
        runs.filter((each) =>
          logicalDates ? logicalDates.some((date) => +date === +each.logicalDate) : each.state === 'running',
        ),
    });
    expect(run.state).toBe('success');
    return run.skippedTaskIds;
  }

  function runOf(day: string, state: RunStates['state']): RunStates {
    return { runId: `scheduled__${day}`, logicalDate: new Date(day), state, tasks: {} };
  }
});
