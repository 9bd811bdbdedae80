import { describe, expect, test } from 'vitest';
import {
  BaseOperator,
  BaseSensor,
  BaseTrigger,
  type Context,
  DateTimeTrigger,
  dag,
  JobFailedError,
  TaskDeferred,
  TaskFailed,
  TaskFailedEvent,
  TaskRescheduled,
  TaskSkipped,
  TaskSkippedEvent,
  TaskSuccessEvent,
  TimeDeltaTrigger,
  TriggerEvent,
  type TriggerScope,
  task,
  template,
  waitFor,
} from '../src/index.ts';
import { runOperator, VirtualClock } from '../src/testing/index.ts';

class NapOperator extends BaseOperator<string, { naps: number }> {
  execute(): string {
    return this.nap(1);
  }

  wake(_context: Context, event: TriggerEvent<Date>, kwargs: { nap: number; since: Date }): string {
    return kwargs.nap < this.args.naps ? this.nap(kwargs.nap + 1) : `woke at ${event.payload.toISOString()}`;
  }

  nap(nap: number): never {
    const since = new Date('2026-01-01T00:00:00.000Z');
    return this.defer({ trigger: new TimeDeltaTrigger({ delta: '1h' }), resume: this.wake, kwargs: { nap, since } });
  }
}

/** Yields, throws or ends as it is told. */
class PuppetTrigger extends BaseTrigger<string, { does: string }> {
  static override readonly classpath = 'project:core/test/run-operator.test.ts#PuppetTrigger';

  async *run(scope: TriggerScope) {
    await scope.sleep('1m');
    if (this.kwargs.does === 'event') yield new TriggerEvent('hello');
    if (this.kwargs.does === 'null event') yield new TriggerEvent(null as unknown as string);
    if (this.kwargs.does === 'success') yield new TaskSuccessEvent({ rows: 3 });
    if (this.kwargs.does === 'failed') yield new TaskFailedEvent(new Error('no luck'));
    if (this.kwargs.does === 'failed for good') yield new TaskFailedEvent(new TaskFailed('no hope'));
    if (this.kwargs.does === 'skipped') yield new TaskSkippedEvent('not today');
    if (this.kwargs.does === 'throw') throw new Error('broken');
    if (this.kwargs.does === 'unstorable') yield new TriggerEvent(new Error('x') as unknown as string);
    if (this.kwargs.does === 'nonsense') yield 'hello' as unknown as TriggerEvent<string>;
  }
}

class PuppetOperator extends BaseOperator<unknown, { does: string }> {
  execute(): unknown {
    this.defer({ trigger: new PuppetTrigger({ does: this.args.does }), resume: this.done });
  }

  done(_context: Context, event: TriggerEvent<string>): unknown {
    return event.payload;
  }
}

const puppet = (does: string, options = {}) => runOperator(new PuppetOperator({ taskId: 'puppet', does, ...options }));

describe('runOperator', () => {
  test('a wait of eight hours with polls every minute takes less than real seconds', async () => {
    class Patient extends BaseTrigger<number, { polls: number }> {
      static override readonly classpath = 'project:x.ts#Patient';
      async *run(scope: TriggerScope) {
        let polls = 0;
        await scope.poll(async () => (++polls > this.kwargs.polls ? polls : undefined), { interval: '60s' });
        yield new TriggerEvent(polls);
      }
    }
    class PatientOperator extends BaseOperator<number> {
      execute(): number {
        this.defer({ trigger: new Patient({ polls: 480 }), resume: this.done });
      }
      done(_context: Context, event: TriggerEvent<number>): number {
        return event.payload;
      }
    }
    const run = await runOperator(new PatientOperator({ taskId: 'patient' }));
    expect(run).toMatchObject({ state: 'success', result: 481, elapsedMs: 8 * 3_600_000 });
    expect(run.polls).toHaveLength(481);
  });

  test('a task may defer several times, and its kwargs come back with their types', async () => {
    const run = await runOperator(new NapOperator({ taskId: 'nap', naps: 3 }));
    expect(run).toMatchObject({
      state: 'success',
      result: 'woke at 2026-01-01T03:00:00.000Z',
      elapsedMs: 3 * 3_600_000,
    });
    expect(run.deferrals.map(({ resume }) => resume)).toEqual(
      [1, 2, 3].map((nap) => ({
        methodName: 'wake',
        hop: nap,
        kwargs: { nap, since: { $date: '2026-01-01T00:00:00.000Z' } },
      })),
    );
  });

  test('the clock begins where the test says and actions happen on their way', async () => {
    const clock = new VirtualClock(new Date('2030-06-01T12:00:00.000Z'));
    const seen: string[] = [];
    clock.at('30m', () => void seen.push(clock.now().toISOString()));
    await runOperator(new NapOperator({ taskId: 'nap', naps: 1 }), { clock });
    expect(seen).toEqual(['2030-06-01T12:30:00.000Z']);
    expect(clock.now().toISOString()).toBe('2030-06-01T13:00:00.000Z');
  });

  test('connections, variables, conf and results of other tasks reach the task', async () => {
    const probe = task('probe', async (context) => ({
      host: (await context.connection('db')).host,
      variable: await context.variable('colour'),
      conf: context.conf.day,
      xcom: await context.xcom.pull('upstream'),
    }));
    const run = await runOperator(probe, {
      connections: { db: 'postgres://localhost/x' },
      variables: { colour: 'green' },
      conf: { day: 'Monday' },
      xcoms: { upstream: new Date(0) },
    });
    expect(run.result).toEqual({ host: 'localhost', variable: 'green', conf: 'Monday', xcom: new Date(0) });
  });

  test.each([
    ['event', { state: 'success', result: 'hello' }],
    ['null event', { state: 'success', result: null }],
    ['success', { state: 'success', result: { rows: 3 } }],
    ['skipped', { state: 'skipped' }],
    ['failed', { state: 'failed', error: { message: 'no luck' } }],
    ['throw', { state: 'failed', error: { message: 'broken' } }],
    ['end without an event', { state: 'failed', error: { code: 'E_TRIGGER_NO_EVENT' } }],
    ['unstorable', { state: 'failed', error: { code: 'E_SERIALIZE' } }],
    ['nonsense', { state: 'failed', error: { message: expect.stringContaining('Yield new TriggerEvent') } }],
  ])('a trigger that ends by "%s" ends the task accordingly', async (does, expected) => {
    expect(await puppet(does)).toMatchObject({ ...expected, elapsedMs: 60_000 });
  });

  test('retries apply to failures in the trigger, unless the error forbids them', async () => {
    expect(await puppet('failed', { retries: 2, retryDelay: '5m' })).toMatchObject({
      tries: 3,
      elapsedMs: 13 * 60_000,
    });
    expect(await puppet('throw', { retries: 1, retryDelay: '1m' })).toMatchObject({ tries: 2 });
    expect(await puppet('failed for good', { retries: 2 })).toMatchObject({ tries: 1, error: { message: 'no hope' } });
  });

  test('a task that throws is retried, one that asks to fail or to be skipped is not', async () => {
    const thrower = (error: Error) => task('t', () => Promise.reject(error), { retries: 1, retryDelay: '1s' });
    expect(await runOperator(thrower(new Error('x')))).toMatchObject({ state: 'failed', tries: 2 });
    expect(await runOperator(thrower(new TaskFailed('x')))).toMatchObject({ state: 'failed', tries: 1 });
    expect(await runOperator(thrower(new TaskSkipped('x')))).toMatchObject({ state: 'skipped', tries: 1 });
  });

  test('a rescheduled task begins again at its time', async () => {
    let runs = 0;
    const again = task('again', ({ now }) => {
      runs += 1;
      if (runs < 3) throw new TaskRescheduled(new Date(now().getTime() + 60_000));
      return runs;
    });
    expect(await runOperator(again)).toMatchObject({ state: 'success', result: 3, tries: 1, elapsedMs: 120_000 });
  });

  test('the timeout of a deferral fails the try, and its execution timeout holds over all waits', async () => {
    class Waits extends BaseOperator<string> {
      execute(): string {
        this.defer({ trigger: new TimeDeltaTrigger({ delta: '8h' }), methodName: 'done', timeout: '1h' });
      }
      done(): string {
        return 'done';
      }
    }
    const late = await runOperator(new Waits({ taskId: 'waits', retries: 1, retryDelay: '1m' }));
    expect(late).toMatchObject({
      state: 'failed',
      tries: 2,
      error: { code: 'E_DEFERRAL_TIMEOUT' },
      elapsedMs: 7_260_000,
    });
    const total = await runOperator(new NapOperator({ taskId: 'nap', naps: 5, executionTimeout: '150m' }));
    expect(total).toMatchObject({ state: 'failed', error: { code: 'E_EXECUTION_TIMEOUT' }, elapsedMs: 150 * 60_000 });
    const busy = task('busy', (context) => context.sleep('9h'), { executionTimeout: '1h' });
    expect(await runOperator(busy)).toMatchObject({ error: { code: 'E_EXECUTION_TIMEOUT' }, elapsedMs: 3_600_000 });
  });

  test('a test that cannot go on ends with an explanation, not never', async () => {
    const stuck = task('stuck', () => new Promise<never>(() => {}));
    await expect(runOperator(stuck, { realTimeout: '50ms' })).rejects.toThrow(
      /Task "stuck" made no progress for 50 ms/,
    );
  });
});

describe('a task that begins from its trigger', () => {
  test('needs no worker until the trigger has fired', async () => {
    const run = await runOperator(waitFor('noon', new TimeDeltaTrigger({ delta: '12h' })));
    expect(run).toMatchObject({ state: 'success', result: new Date('2026-01-01T12:00:00.000Z') });
    expect(run.deferrals.map(({ trigger }) => trigger)).toMatchObject([
      { classpath: '@windhover/core#TaskStartTrigger' },
      { classpath: '@windhover/core#TimeDeltaTrigger', notBefore: { afterMs: 43_200_000 } },
    ]);
  });

  test('keeps the timeout of its wait', async () => {
    const wait = waitFor('noon', new TimeDeltaTrigger({ delta: '12h' }), { timeout: '1h' });
    expect(await runOperator(wait)).toMatchObject({
      state: 'failed',
      error: { code: 'E_DEFERRAL_TIMEOUT' },
      elapsedMs: 3_600_000,
    });
  });

  test('may have a templated trigger', async () => {
    const moment = template(({ dataInterval }) => new DateTimeTrigger({ moment: dataInterval.end }));
    expect(await runOperator(waitFor('end', moment))).toMatchObject({ result: new Date('2026-01-02T00:00:00.000Z') });
  });
});

describe('steps', () => {
  test('a function waits in the middle and goes on with what its steps gave', async () => {
    const calls: string[] = [];
    const job = task('job', async (context) => {
      calls.push('begin');
      const id = await context.step('submit', () => {
        calls.push('submit');
        return { id: 7n, at: new Date(0) };
      });
      const first = await context.defer('first wait', new TimeDeltaTrigger({ delta: '1h' }));
      const second = await context.defer('second wait', new TimeDeltaTrigger({ delta: '1h' }));
      return { id, waited: second.getTime() - first.getTime() };
    });
    const run = await runOperator(job);
    expect(run).toMatchObject({ state: 'success', result: { id: { id: 7n, at: new Date(0) }, waited: 3_600_000 } });
    expect(calls).toEqual(['begin', 'submit', 'begin', 'begin']);
  });

  test('a catch or finally around a wait does not run when the function waits', async () => {
    const seen: string[] = [];
    const job = task('job', async (context) => {
      try {
        await context.defer('wait', new TimeDeltaTrigger({ delta: '1h' }));
        seen.push('resumed');
      } catch {
        seen.push('caught');
      } finally {
        seen.push('finally');
      }
    });
    await runOperator(job);
    expect(seen).toEqual(['resumed', 'finally']);
  });

  test('a retry does not do finished steps again', async () => {
    let submissions = 0;
    const job = task(
      'job',
      async (context) => {
        const id = await context.step('submit', () => ++submissions);
        if (context.tryNumber < 3) throw new Error('the network');
        return id;
      },
      { retries: 2, retryDelay: '1s' },
    );
    expect(await runOperator(job)).toMatchObject({ state: 'success', result: 1, tries: 3 });
  });

  test('steps of a class operator are kept apart by method, also when a method is entered again and again', async () => {
    class Pages extends BaseOperator<number[], Record<never, never>> {
      async execute(context: Context): Promise<number[]> {
        return this.page(context, [await context.step('page', () => 1)]);
      }
      async more(context: Context, _event: TriggerEvent<Date>, kwargs: { pages: number[] }): Promise<number[]> {
        const next = await context.step('page', () => kwargs.pages.length + 1);
        return this.page(context, [...kwargs.pages, next]);
      }
      async page(_context: Context, pages: number[]): Promise<number[]> {
        if (pages.length === 4) return pages;
        return this.defer({ trigger: new TimeDeltaTrigger({ delta: '1m' }), resume: this.more, kwargs: { pages } });
      }
    }
    expect((await runOperator(new Pages({ taskId: 'pages' }))).result).toEqual([1, 2, 3, 4]);
  });

  test('a replay that meets another step fails and names both', async () => {
    let runs = 0;
    const job = task('job', async (context) => {
      runs += 1;
      await context.step(runs === 1 ? 'monday' : 'tuesday', () => runs);
      await context.defer('wait', new TimeDeltaTrigger({ delta: '1h' }));
    });
    const { error } = await runOperator(job);
    expect(error).toMatchObject({ code: 'E_STEP_MISMATCH' });
    expect(error!.message).toContain('came to step "tuesday" where it had step "monday" before (number 1)');
  });

  test('steps side by side are told apart by the order of their calls', async () => {
    const job = task('job', async (context) => {
      const both = await Promise.all([context.step('a', () => 'a'), context.step('b', () => 'b')]);
      await context.defer('wait', new TimeDeltaTrigger({ delta: '1h' }));
      return both;
    });
    expect((await runOperator(job)).result).toEqual(['a', 'b']);
  });

  test('a step whose result cannot be stored fails with its name', async () => {
    const job = task('job', (context) => context.step('client', () => new URL('http://x')));
    expect((await runOperator(job)).error!.message).toMatch(/^Cannot store step "client": it is an instance of URL\./);
  });

  test('a step that is under way beside a wait is not done again', async () => {
    let submissions = 0;
    const job = task('job', async (context) => {
      const slow = context.step('submit', async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return ++submissions;
      });
      await Promise.all([slow, context.defer('wait', new TimeDeltaTrigger({ delta: '1h' }))]);
      return slow;
    });
    expect((await runOperator(job)).result).toBe(1);
  });

  test('a step without a result stays without one in a replay', async () => {
    const seen: unknown[] = [];
    const job = task('job', async (context) => {
      seen.push(await context.step('notify', () => undefined));
      await context.defer('wait', new TimeDeltaTrigger({ delta: '1h' }));
    });
    await runOperator(job);
    expect(seen).toEqual([undefined, undefined]);
  });

  test('a step without a result is done once too', async () => {
    let runs = 0;
    const job = task('job', async (context) => {
      await context.step('notify', () => {
        runs += 1;
      });
      await context.defer('wait', new TimeDeltaTrigger({ delta: '1h' }));
      return runs;
    });
    expect((await runOperator(job)).result).toBe(1);
  });
});

describe('a task that fails', () => {
  test('finds its steps again, unless the error says that the outside work has failed', async () => {
    const submissions = async (error: Error) => {
      let submitted = 0;
      const job = task(
        'job',
        async (context) => {
          await context.step('submit', () => ++submitted);
          await context.defer('wait', new TimeDeltaTrigger({ delta: '1h' }));
          if (context.tryNumber < 3) throw error;
        },
        { retries: 2, retryDelay: '1s' },
      );
      const { tries, elapsedMs } = await runOperator(job);
      return { tries, submitted, hours: Math.floor(elapsedMs / 3_600_000) };
    };
    expect(await submissions(new Error('the network'))).toEqual({ tries: 3, submitted: 1, hours: 1 });
    expect(await submissions(new JobFailedError('the job'))).toEqual({ tries: 3, submitted: 3, hours: 3 });
  });

  test('because of a #private field is told to use private', async () => {
    class Sealed extends BaseOperator<string> {
      readonly #secret = 'x';
      execute(): string {
        return this.#secret;
      }
    }
    expect((await runOperator(new Sealed({ taskId: 's' }))).error).toMatchObject({ code: 'E_PRIVATE_FIELD' });
  });
});

describe('a sensor', () => {
  class Flaky extends BaseSensor<string, { answer: () => Promise<boolean>; hint?: string }> {
    poke() {
      return this.args.answer();
    }
  }
  const inEachMode = (answer: () => () => Promise<boolean>, options = {}) =>
    Promise.all(
      (['poke', 'defer', 'reschedule'] as const).map((mode) =>
        runOperator(new Flaky({ taskId: 'f', mode, pokeInterval: '1m', answer: answer(), ...options })),
      ),
    );

  test('that skips itself while it waits is skipped in every mode', async () => {
    const answer = () => {
      let checks = 0;
      return async () => {
        if (++checks > 1) throw new TaskSkipped('gone');
        return false;
      };
    };
    expect((await inEachMode(answer)).map(({ state }) => state)).toEqual(['skipped', 'skipped', 'skipped']);
  });

  test('gives up after as many passing failures in every mode', async () => {
    const answer = () => () => Promise.reject(Object.assign(new Error('503'), { statusCode: 503 }));
    const runs = await inEachMode(answer, { timeout: '3d' });
    expect(runs.map(({ error }) => error?.code)).toEqual(['E_POLL_BUDGET', 'E_POLL_BUDGET', 'E_POLL_BUDGET']);
  });

  test('keeps its execution timeout in every mode', async () => {
    const runs = await inEachMode(() => async () => false, { executionTimeout: '10m', timeout: '1h' });
    expect(runs.map(({ error, elapsedMs }) => [error?.code, elapsedMs])).toEqual(
      Array(3).fill(['E_EXECUTION_TIMEOUT', 600_000]),
    );
  });

  test('may have a template that gives nothing', async () => {
    let checks = 0;
    const hint = template(() => undefined as unknown as string);
    const sensor = new Flaky({ taskId: 'f', hint, answer: async () => ++checks > 1 });
    expect((await runOperator(sensor)).state).toBe('success');
  });
});

describe('a deferral that is caught', () => {
  class Swallowing extends BaseOperator<string, { then: 'return' | 'throw' | 'rethrow' | 'skip' }> {
    async execute(): Promise<string> {
      try {
        this.defer({ trigger: new TimeDeltaTrigger({ delta: '1h' }), resume: this.done });
      } catch (error) {
        if (this.args.then === 'throw') throw new Error('wrapped');
        if (this.args.then === 'skip') throw new TaskSkipped();
        if (this.args.then === 'rethrow' && TaskDeferred.isInstance(error)) throw error;
        return 'swallowed';
      }
    }
    done(): string {
      return 'done';
    }
  }
  const run = (then: 'return' | 'throw' | 'rethrow' | 'skip') => runOperator(new Swallowing({ taskId: 's', then }));

  test('and rethrown defers', async () =>
    expect(await run('rethrow')).toMatchObject({ state: 'success', result: 'done' }));

  test.each(['return', 'throw', 'skip'] as const)(
    'and followed by %s is an error that names the line',
    async (then) => {
      const { state, error } = await run(then);
      expect(state).toBe('failed');
      expect(error).toMatchObject({ code: 'E_DEFERRAL_SWALLOWED', isRetryable: false });
      expect(error!.message).toMatch(/Task "s" deferred at .*run-operator\.test\.ts:\d+:\d+.* swallowed the deferral/);
    },
  );
});

describe('arguments', () => {
  test('are rendered for each run and the operator itself stays as it was', async () => {
    const greeting = template(({ params }) => `Hello, ${params.name}`);
    let operator: BaseOperator<any, any> | undefined;
    dag('greetings', { params: { name: 'world' } }, () => {
      operator = task('greet', (_context, { greeting }) => greeting, { inputs: { greeting } });
    });
    expect((await runOperator(operator!)).result).toBe('Hello, world');
    expect((await runOperator(operator!, { conf: { name: 'Ada' } })).result).toBe('Hello, Ada');
  });

  test('that hold the output of another task get its result', async () => {
    let sum: BaseOperator<number, any> | undefined;
    dag('sums', {}, () => {
      const rows = task('rows', () => [1, 2, 3]);
      sum = task('sum', (_context, { rows }) => rows.reduce((a, b) => a + b), { inputs: { rows: rows.output } });
    });
    expect((await runOperator(sum!, { xcoms: { rows: [4, 5] } })).result).toBe(9);
  });
});

describe('what a run leaves behind', () => {
  test('is in its report: log, results, signals, DAG runs', async () => {
    const busy = task('busy', async (context) => {
      context.log.info('working', { rows: 3 });
      await context.xcom.push('extra', new Map([['a', 1]]));
      await context.sendSignal('model.ready', { id: 7 });
      await context.triggerDagRun('other', { conf: { full: true } });
      return 'done';
    });
    const run = await runOperator(busy);
    expect(run.log).toEqual([
      { at: '2026-01-01T00:00:00.000Z', level: 'info', message: 'working', fields: { rows: 3 } },
    ]);
    expect(run.xcoms).toEqual(
      new Map<string, unknown>([
        ['busy/extra', { $map: [['a', 1]] }],
        ['busy/return_value', 'done'],
      ]),
    );
    expect(run.signals).toMatchObject([{ key: 'model.ready', value: { id: 7 }, version: 1, sender: 'busy' }]);
    expect(run.dagRuns).toEqual([{ dagId: 'other', conf: { full: true } }]);
  });
});
