import { durationMs } from '../duration.ts';
import type { BaseSensor, SensorMode, SensorOptions } from '../sensor/base-sensor.ts';
import {
  type BackendAnswer,
  type BackendSetup,
  type ScriptedBackend,
  shortestGapMs,
  withBackend,
} from './backend-script.ts';
import { type ConformanceTest, check, checkEqual } from './conformance-test.ts';
import { type OperatorRun, type RunOperatorOptions, runOperator } from './run-operator.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface SensorSuite {
  backend: BackendSetup<ScriptedBackend>;
  /** A sensor with task id `wait` that asks the backend, with these options on top of its own. */
  sensor(
    backend: ScriptedBackend,
    options: SensorOptions & { taskId: string; retries?: number; startFromTrigger?: boolean },
  ): BaseSensor<any, any>;
  /** What the backend can answer. Default: everything. */
  answers?: readonly BackendAnswer[];
}

const MODES: readonly SensorMode[] = ['defer', 'poke', 'reschedule'];
const INTERVAL = '30s';

/** What every sensor must do: the same in each mode. */
export function testSensor(suite: SensorSuite): readonly ConformanceTest[] {
  const answers = suite.answers ?? ['pending', 'transient', 'done', 'failed'];
  const run = (
    script: readonly BackendAnswer[],
    options: SensorOptions & { retries?: number; startFromTrigger?: boolean } = {},
    how: RunOperatorOptions = {},
  ) => runSensor(suite, script, options, how);
  return [
    {
      name: 'it finds what is there at the first look, in every mode, without waiting',
      run: () =>
        inEveryMode(async (mode) => {
          const { run: found, backend } = await run(['done'], { mode });
          checkEqual(
            [found.state, found.elapsedMs, found.deferrals.length, backend.checks().length],
            ['success', 0, 0, 1],
            `${mode}: state, time, deferrals and checks`,
          );
        }),
    },
    {
      name: 'all modes give the same result',
      run: async () => {
        const results = await inEveryMode(async (mode) =>
          outcome((await run(['pending', 'pending', 'done'], { mode })).run),
        );
        for (const result of results) checkEqual(result, results[0], 'the outcome of another mode');
        check(JSON.stringify(results[0]).includes('success'), `no mode succeeded: ${JSON.stringify(results[0])}`);
      },
    },
    ...(answers.includes('failed')
      ? [
          {
            name: 'all modes give the same error',
            run: async () => {
              const results = await inEveryMode(async (mode) =>
                outcome((await run(['pending', 'failed'], { mode })).run),
              );
              for (const result of results) checkEqual(result, results[0], 'the outcome of another mode');
              check(JSON.stringify(results[0]).includes('failed'), `a failure ended as ${JSON.stringify(results[0])}`);
            },
          },
        ]
      : []),
    ...(answers.includes('transient')
      ? [
          {
            name: 'failures that pass are survived in every mode, also at the first look',
            run: () =>
              inEveryMode(async (mode) => {
                const { run: done } = await run(['transient', 'transient', 'pending', 'transient', 'done'], { mode });
                check(
                  done.state === 'success' && done.tries === 1,
                  `${mode}: ${done.state} after ${done.tries} tries: ${done.error?.message}`,
                );
              }),
          },
        ]
      : []),
    {
      name: 'it keeps its interval in every mode',
      run: () =>
        inEveryMode(async (mode) => {
          const { backend } = await run(['pending', 'pending', 'pending', 'pending', 'done'], { mode });
          const gapMs = shortestGapMs(backend.checks());
          checkEqual(
            [backend.checks().length, gapMs],
            [5, durationMs(INTERVAL)],
            `${mode}: checks and shortest time between them`,
          );
        }),
    },
    {
      name: 'its interval grows with exponentialBackoff up to maxWait, in every mode',
      run: () =>
        inEveryMode(async (mode) => {
          const { backend } = await run([...Array<BackendAnswer>(5).fill('pending'), 'done'], {
            mode,
            exponentialBackoff: true,
            maxWait: '3m',
          });
          const checks = backend.checks().map((at) => at.getTime());
          const gaps = checks.slice(1).map((at, index) => (at - checks[index]!) / 1000);
          checkEqual(gaps, [30, 60, 120, 180, 180], `${mode}: seconds between checks`);
        }),
    },
    {
      name: 'its timeout holds for the whole wait, without a retry, in every mode',
      run: () =>
        inEveryMode(async (mode) => {
          const { run: late } = await run(['pending'], { mode, timeout: '10m', retries: 3 });
          checkEqual(
            [late.state, late.tries, late.elapsedMs],
            ['failed', 1, durationMs('10m')],
            `${mode}: state, tries and time`,
          );
        }),
    },
    {
      name: 'softFail skips after a wait in vain, in every mode',
      run: () =>
        inEveryMode(async (mode) => {
          const { run: late } = await run(['pending'], { mode, timeout: '10m', softFail: true });
          checkEqual([late.state, late.elapsedMs], ['skipped', durationMs('10m')], `${mode}: state and time`);
        }),
    },
    {
      name: 'a restart of the triggerer in mid-wait does not begin the wait anew',
      run: async () => {
        const { run: late } = await run(['pending'], { timeout: '10m' }, { restartTriggerEvery: '100s' });
        checkEqual([late.state, late.elapsedMs], ['failed', durationMs('10m')], 'state and time');
      },
    },
    {
      name: 'it can begin in the triggerer, without a worker',
      run: async () => {
        const { run: done } = await run(['pending', 'done'], { startFromTrigger: true });
        check(done.state === 'success', `it ended as ${done.state}: ${done.error?.message}`);
        check(done.deferrals[0]?.end === 'deferred', 'it did not begin in the triggerer');
        checkEqual(outcome(done), outcome((await run(['pending', 'done'])).run), 'the outcome');
      },
    },
    {
      name: 'overrides of its connection reach the trigger',
      run: async () => {
        const { backend } = await run(['pending', 'pending', 'done']);
        check(backend.checks().length > 1, `it looked ${backend.checks().length} times`);
        checkEqual(
          [...new Set(backend.callers?.() ?? [])].length <= 1,
          true,
          `one caller on worker and triggerer; found ${backend.callers?.().join(', ')}`,
        );
      },
    },
  ];
}

async function runSensor(
  suite: SensorSuite,
  script: readonly BackendAnswer[],
  options: SensorOptions & { retries?: number; startFromTrigger?: boolean },
  how: RunOperatorOptions,
): Promise<{ run: OperatorRun<unknown>; backend: ScriptedBackend }> {
  let answer: { run: OperatorRun<unknown>; backend: ScriptedBackend } | undefined;
  await withBackend(suite.backend, script, new VirtualClock(), async (backend, host) => {
    const sensor = suite.sensor(backend, { taskId: 'wait', pokeInterval: INTERVAL, ...options });
    answer = { run: await runOperator(sensor, { ...host, ...how }), backend };
  });
  return answer!;
}

async function inEveryMode<T>(test: (mode: SensorMode) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (const mode of MODES) results.push(await test(mode));
  return results;
}

/** What a user sees of a run. */
function outcome({ state, result, error }: OperatorRun<unknown>): unknown {
  return { state, result: result ?? null, error: error ? { code: error.code ?? null, message: error.message } : null };
}
