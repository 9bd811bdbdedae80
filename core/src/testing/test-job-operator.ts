import { Replay } from '../context/replay.ts';
import type { Duration } from '../duration.ts';
import { durationMs } from '../duration.ts';
import type { BaseOperator } from '../operator/base-operator.ts';
import { bindArgs } from '../operator/base-operator.ts';
import { enterOperator } from '../operator/enter-operator.ts';
import { serialize } from '../serde/serialize.ts';
import { render } from '../template/render.ts';
import {
  type BackendAnswer,
  type BackendSetup,
  type ScriptedBackend,
  shortestGapMs,
  withBackend,
} from './backend-script.ts';
import { type ConformanceTest, check, checkEqual } from './conformance-test.ts';
import { type OperatorRun, type RunOperatorOptions, runOperator } from './run-operator.ts';
import { TestHost } from './test-host.ts';
import { VirtualClock } from './virtual-clock.ts';

/** A scripted system that runs jobs. */
export interface JobBackend extends ScriptedBackend {
  /** The handles of jobs it was asked to run, one entry for each submission it accepted. */
  submitted(): readonly string[];
  /** The handles it was asked to cancel, one entry for each request. */
  cancelled(): readonly string[];
}

export interface JobOperatorOptions {
  readonly taskId: string;
  readonly deferrable: boolean;
  readonly executionTimeout?: Duration;
  readonly retries?: number;
  readonly retryDelay?: Duration;
}

export interface JobOperatorSuite {
  backend: BackendSetup<JobBackend>;
  /** An operator that submits to the backend and waits, with these options on top of its own. */
  operator(backend: JobBackend, options: JobOperatorOptions): BaseOperator<any, any>;
  /** Every payload its triggers can yield. */
  events: readonly unknown[];
  /** The interval its checks keep. */
  interval: Duration;
}

/** What every operator must do that submits outside work and waits for it. */
export function testJobOperator(suite: JobOperatorSuite): readonly ConformanceTest[] {
  const run = (
    script: readonly BackendAnswer[],
    options: Partial<JobOperatorOptions> = {},
    how: RunOperatorOptions = {},
  ) => runJob(suite, script, options, how);
  const intervalMs = durationMs(suite.interval);
  const manyIntervals = { milliseconds: intervalMs * 10 };
  return [
    {
      name: 'it succeeds alike whether it defers or holds its worker',
      run: async () => {
        const [deferred, held] = [
          await run(['pending', 'pending', 'done']),
          await run(['pending', 'pending', 'done'], { deferrable: false }),
        ];
        checkEqual(
          [deferred.run.state, deferred.run.deferrals.length > 0, held.run.deferrals.length],
          ['success', true, 0],
          'state, deferral and no deferral',
        );
        checkEqual(outcome(held.run), outcome(deferred.run), 'the outcome without deferral');
      },
    },
    {
      name: 'it fails alike whether it defers or holds its worker',
      run: async () => {
        const [deferred, held] = [
          await run(['pending', 'failed']),
          await run(['pending', 'failed'], { deferrable: false }),
        ];
        check(deferred.run.state === 'failed', `a failed job ended as ${deferred.run.state}`);
        check(deferred.backend.checks().length > 0, `it failed before it had looked: ${deferred.run.error?.message}`);
        checkEqual(outcome(held.run), outcome(deferred.run), 'the outcome without deferral');
      },
    },
    {
      name: 'a job that is done at once ends alike',
      run: async () => {
        const [deferred, held] = [await run(['done']), await run(['done'], { deferrable: false })];
        check(deferred.run.state === 'success', `it ended as ${deferred.run.state}: ${deferred.run.error?.message}`);
        checkEqual(outcome(held.run), outcome(deferred.run), 'the outcome without deferral');
      },
    },
    {
      name: 'every event its trigger can yield is understood',
      run: async () => {
        check(suite.events.length > 0, 'the suite names no events: pass every payload its triggers can yield');
        for (const event of suite.events) await resumeWith(suite, event);
      },
    },
    {
      name: 'it keeps its interval between two checks',
      run: async () => {
        const { backend } = await run(['pending', 'pending', 'pending', 'pending', 'done']);
        check(backend.checks().length > 1, `it looked ${backend.checks().length} times`);
        const gapMs = shortestGapMs(backend.checks());
        check(gapMs >= intervalMs, `two checks were only ${gapMs} ms apart, its interval is ${intervalMs} ms`);
      },
    },
    {
      name: 'failures that pass are survived without a second submission',
      run: async () => {
        for (const deferrable of [true, false]) {
          const { run: done, backend } = await run(['pending', 'transient', 'transient', 'done'], { deferrable });
          checkEqual(
            [done.state, done.tries, backend.submitted().length],
            ['success', 1, 1],
            `deferrable ${deferrable}: state, tries and submissions`,
          );
        }
      },
    },
    {
      name: 'its execution timeout holds over all waits, and cancels the job',
      run: async () => {
        const { run: late, backend } = await run(['pending'], { executionTimeout: manyIntervals });
        checkEqual([late.state, late.elapsedMs], ['failed', intervalMs * 10], 'state and time');
        checkEqual(sorted(backend.cancelled()), sorted(backend.submitted()), 'the cancelled jobs');
      },
    },
    {
      name: 'a kill cancels each of its jobs, once',
      run: async () => {
        const { run: killed, backend } = await run(['pending'], {}, { killAfter: manyIntervals });
        check(killed.state === 'failed', `it ended as ${killed.state}`);
        check(backend.submitted().length > 0, 'it submitted nothing');
        checkEqual(sorted(backend.cancelled()), sorted(backend.submitted()), 'the cancelled jobs');
      },
    },
    {
      name: 'a restart of the triggerer neither cancels nor submits again',
      run: async () => {
        const script = [...Array<BackendAnswer>(6).fill('pending'), 'done'] as const;
        const { run: done, backend } = await run(
          script,
          {},
          { restartTriggerEvery: { milliseconds: intervalMs * 1.5 } },
        );
        checkEqual(
          [done.state, backend.submitted().length, backend.cancelled().length],
          ['success', 1, 0],
          'state, submissions and cancellations',
        );
      },
    },
    {
      name: 'a worker lost after the submission does not pay twice',
      run: async () => {
        const { run: done, backend } = await run(['pending', 'done'], {}, { loseWorkerBeforeDefer: true });
        checkEqual([done.state, new Set(backend.submitted()).size], ['success', 1], 'state and jobs');
      },
    },
    {
      name: 'a retry after a failed job submits a new one',
      run: async () => {
        const script = ['pending', 'failed', 'pending', 'done'] as const;
        const { run: done, backend } = await run(script, { retries: 1, retryDelay: '1s' });
        const found = [done.state, done.tries, backend.submitted().length];
        checkEqual(
          found,
          ['success', 2, 2],
          'state, tries and submissions (throw JobFailedError when the job has failed)',
        );
      },
    },
    {
      name: 'overrides of its connection reach the trigger',
      run: async () => {
        const { backend } = await run(['pending', 'pending', 'done']);
        const callers = new Set(backend.callers?.() ?? []);
        check(backend.checks().length > 1, `it looked ${backend.checks().length} times`);
        check(callers.size <= 1, `worker and triggerer called as different users: ${[...callers].join(', ')}`);
      },
    },
  ];
}

async function runJob(
  suite: JobOperatorSuite,
  script: readonly BackendAnswer[],
  options: Partial<JobOperatorOptions>,
  how: RunOperatorOptions,
): Promise<{ run: OperatorRun<unknown>; backend: JobBackend }> {
  let answer: { run: OperatorRun<unknown>; backend: JobBackend } | undefined;
  await withBackend(suite.backend, script, new VirtualClock(), async (backend, host) => {
    const operator = suite.operator(backend, { taskId: 'job', deferrable: true, ...options });
    answer = { run: await runOperator(operator, { ...host, ...how }), backend };
  });
  return answer!;
}

/** Resumes the operator with a given event: it may succeed or fail, but not stumble over the event's shape. */
async function resumeWith(suite: JobOperatorSuite, payload: unknown): Promise<void> {
  await withBackend(suite.backend, ['pending', 'done'], new VirtualClock(), async (backend, options) => {
    const operator = suite.operator(backend, { taskId: 'job', deferrable: true });
    const { deferrals } = await runOperator(operator, options);
    check(deferrals[0], 'it did not defer for a job that takes time');
    const { resume } = deferrals[0];
    const host = new TestHost(options);
    const replay = new Replay({ taskId: 'job', hop: resume.hop, records: [], save: async () => {} });
    const context = host.context(operator, { tryNumber: 1, signal: new AbortController().signal }, replay);
    const view = bindArgs(operator, await render(operator.args, context));
    const end = await enterOperator({
      operator: view,
      context,
      replay,
      resume,
      event: { payload: serialize(payload) },
    });
    const stumbled = end.type === 'failed' && (end.error instanceof TypeError || end.error instanceof ReferenceError);
    check(
      !stumbled,
      `the event ${JSON.stringify(payload)} made ${resume.methodName} stumble: ${end.type === 'failed' ? end.error : ''}`,
    );
  });
}

function sorted(handles: readonly string[]): readonly string[] {
  return [...handles].sort();
}

/** What a user sees of a run. */
function outcome({ state, result, error }: OperatorRun<unknown>): unknown {
  return { state, result: result ?? null, error: error ? { code: error.code ?? null, message: error.message } : null };
}
