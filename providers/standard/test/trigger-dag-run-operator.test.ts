import type { DagRunState, RunStatesQuery } from '@windhover/core';
import { type BackendAnswer, runOperator, testTrigger, type VirtualClock } from '@windhover/core/testing';
import { describe, expect, test } from 'vitest';
import { DagRunTrigger, type TriggerDagRunArgs, TriggerDagRunOperator } from '../src/index.ts';

const STATES = { pending: 'running', done: 'success', failed: 'failed' } as const;

/** The other DAG's runs, all of which go as the script says. */
function scriptedRuns(script: readonly BackendAnswer[], clock?: VirtualClock) {
  const checks: Date[] = [];
  let looks = 0;
  return {
    checks: () => checks,
    runStates: ({ runIds }: RunStatesQuery) => {
      if (clock) checks.push(clock.now());
      looks += 1;
      const answer = script[Math.min(looks, script.length) - 1]!;
      if (answer === 'transient') throw Object.assign(new Error('connection reset'), { code: 'ECONNRESET' });
      return [{ runId: runIds![0]!, logicalDate: new Date(), state: STATES[answer] as DagRunState, tasks: {} }];
    },
  };
}

describe('DagRunTrigger', () => {
  const suite = testTrigger({
    load: (specifier) => import(specifier),
    backend: scriptedRuns,
    interval: '30s',
    trigger: () => new DagRunTrigger({ dagId: 'report', runId: 'manual__1', interval: '30s' }),
  });
  for (const { name, run } of suite) test(name, run);
});

describe('TriggerDagRunOperator', () => {
  const make = (options: Partial<TriggerDagRunArgs> & { retries?: number; executionTimeout?: '5m' } = {}) =>
    new TriggerDagRunOperator({ taskId: 'start', triggerDagId: 'report', waitForCompletion: true, ...options });
  const both = test.each([true, false]);

  test('starts a run with its conf and does not wait for it unless told', async () => {
    const run = await runOperator(make({ waitForCompletion: false, conf: { region: 'north' } }));
    expect(run).toMatchObject({ state: 'success', elapsedMs: 0, result: { dagId: 'report' } });
    expect(run.dagRuns).toEqual([{ dagId: 'report', conf: { region: 'north' } }]);
  });

  both('waits for the end of the run, with deferrable %s', async (deferrable) => {
    const run = await runOperator(
      make({ deferrable, pokeInterval: '10m' }),
      scriptedRuns(['pending', 'pending', 'done']),
    );
    expect(run).toMatchObject({ state: 'success', elapsedMs: 1_200_000, result: { dagId: 'report' } });
    expect([run.deferrals.length, run.dagRuns.length]).toEqual([deferrable ? 1 : 0, 1]);
  });

  both('fails when the run has failed, with deferrable %s', async (deferrable) => {
    const run = await runOperator(make({ deferrable }), scriptedRuns(['pending', 'failed']));
    expect(run).toMatchObject({ state: 'failed', error: { code: 'E_JOB_FAILED' } });
    expect(run.error!.message).toMatch(/^Run "manual__.*" of DAG "report", which this task started, is failed/);
  });

  both('fails when the run is gone, with deferrable %s', async (deferrable) => {
    const run = await runOperator(make({ deferrable }), { runStates: () => [] });
    expect(run.error!.message).toContain('is gone');
  });

  both('bears failures that pass, with deferrable %s', async (deferrable) => {
    const run = await runOperator(make({ deferrable }), scriptedRuns(['transient', 'pending', 'transient', 'done']));
    expect(run).toMatchObject({ state: 'success', tries: 1 });
  });

  test('a run in an allowed state is not waited for any longer', async () => {
    const run = await runOperator(make({ allowedStates: ['running', 'success'] }), scriptedRuns(['pending']));
    expect(run).toMatchObject({ state: 'success', elapsedMs: 0 });
  });

  test('a worker lost after the run was started does not start a second one', async () => {
    const run = await runOperator(make(), { ...scriptedRuns(['pending', 'done']), loseWorkerBeforeDefer: true });
    expect([run.state, run.dagRuns.length]).toEqual(['success', 1]);
  });

  test('a retry after the run has failed starts a new one', async () => {
    const run = await runOperator(make({ retries: 1 }), scriptedRuns(['pending', 'failed', 'pending', 'done']));
    expect([run.state, run.tries, run.dagRuns.length]).toEqual(['success', 2, 2]);
  });

  both('its execution timeout holds over the whole wait, with deferrable %s', async (deferrable) => {
    const run = await runOperator(make({ deferrable, executionTimeout: '5m' }), scriptedRuns(['pending']));
    expect(run).toMatchObject({ state: 'failed', elapsedMs: 300_000, error: { code: 'E_EXECUTION_TIMEOUT' } });
  });

  test('restarts of the triggerer neither start a run nor end the wait', async () => {
    const script = [...Array<BackendAnswer>(5).fill('pending'), 'done'] as const;
    const run = await runOperator(make(), { ...scriptedRuns(script), restartTriggerEvery: '90s' });
    expect([run.state, run.dagRuns.length]).toEqual(['success', 1]);
  });
});
