import { describe, expect, test } from 'vitest';
import {
  BaseOperator,
  BaseTrigger,
  type Context,
  gt,
  JobTrigger,
  necessary,
  serializeTrigger,
  sufficient,
  TaskDeferred,
  TimeDeltaTrigger,
  TriggerEvent,
  task,
} from '../src/index.ts';
import { runOperator } from '../src/testing/index.ts';

class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}

class PriceTrigger extends BaseTrigger<string, { price: Money }> {
  static override readonly classpath: string = 'project:core/test/operator.test.ts#PriceTrigger';
  async *run() {
    yield new TriggerEvent('sold');
  }
}

class CheapTrigger extends PriceTrigger {}

/** Defers as it is told, past the compiler. */
class DefersOperator extends BaseOperator<unknown, { options: (self: any) => object }> {
  execute(): unknown {
    return this.defer(this.args.options(this) as never);
  }
  executeComplete(): unknown {
    return 'done';
  }
}

const trigger = new TimeDeltaTrigger({ delta: '1s' });
const defers = async (options: (self: any) => object) =>
  (await runOperator(new DefersOperator({ taskId: 'd', options }))).error?.message;

describe('defer refuses', () => {
  test('a data-only class instance in a trigger, with the path of the field', async () => {
    const options = () => ({ trigger: new PriceTrigger({ price: new Money(5) }), methodName: 'executeComplete' });
    expect(await defers(options)).toBe(
      'Cannot store PriceTrigger.kwargs.price: it is an instance of Money. Class instances lose their class in ' +
        'storage: pass the plain data or the id needed to make it again, such as a connection id.',
    );
  });

  test('a class instance in the kwargs of the resume method', async () => {
    const options = () => ({ trigger, methodName: 'executeComplete', kwargs: { deep: [{ price: new Money(5) }] } });
    expect(await defers(options)).toMatch(/^Cannot store kwargs\.deep\[0\]\.price: it is an instance of Money\./);
  });

  test("another operator's method", async () => {
    class Other extends DefersOperator {
      override executeComplete() {
        return 'other';
      }
    }
    const resume = Other.prototype.executeComplete;
    expect(await defers(() => ({ trigger, resume }))).toBe(
      'DefersOperator "d" cannot be deferred: `resume` is a function named "executeComplete", but not this operator\'s ' +
        'method. Pass this.executeComplete itself.',
    );
  });

  test('an arrow function, named or not', async () => {
    const later = () => 'later';
    expect(await defers(() => ({ trigger, resume: later }))).toBe(
      'DefersOperator "d" cannot be deferred: `resume` is the function "later", not a method of this operator, so it ' +
        'could not be found again. Make it a method of the class and pass this.<method>.',
    );
    expect(
      await defers(() => ({
        trigger,
        ...{
          resume: (
            () => () =>
              1
          )(),
        },
      })),
    ).toContain('an anonymous function');
  });

  test('an arrow function that is a property of the operator', async () => {
    class Arrow extends DefersOperator {
      later = () => 'later';
    }
    const operator = new Arrow({ taskId: 'd', options: (self) => ({ trigger, resume: self.later }) });
    expect((await runOperator(operator)).error!.message).toContain('`resume` is the property "later"');
  });

  test('a method that does not exist', async () => {
    expect(await defers((self) => ({ trigger, resume: self.executeCompleet }))).toContain(
      '`resume` is undefined: the operator has no such method. Pass one, such as this.executeComplete.',
    );
  });

  test('a bound method', async () => {
    expect(await defers((self) => ({ trigger, resume: self.executeComplete.bind(self) }))).toBe(
      'DefersOperator "d" cannot be deferred: `resume` is a bound function. Pass this.executeComplete without bind.',
    );
  });

  test('a method name that the operator does not have', async () => {
    expect(await defers(() => ({ trigger, methodName: 'executeCompleet' }))).toBe(
      'DefersOperator "d" cannot be deferred: it has no method "executeCompleet".',
    );
  });

  test('a trigger with an inherited classpath', async () => {
    const options = () => ({ trigger: new CheapTrigger({ price: new Money(5) }), methodName: 'executeComplete' });
    expect(await defers(options)).toBe(
      'Cannot store CheapTrigger by its classpath "project:core/test/operator.test.ts#PriceTrigger": it inherited that ' +
        'one, so its parent would run in its place. Give CheapTrigger a static classpath of its own.',
    );
  });

  test('a trigger whose serialize names another class', () => {
    class Lying extends TimeDeltaTrigger {
      static override readonly classpath = 'project:x.ts#Lying' as never;
      override serialize(): any {
        return ['@windhover/core#DateTimeTrigger', { moment: new Date() }];
      }
    }
    expect(() => serializeTrigger(new Lying({ delta: '1s' }))).toThrow(/its serialize\(\) names that one/);
  });

  test('a deferral of an operator that was called inside another one', async () => {
    class Inner extends BaseOperator<string> {
      execute(): string {
        return this.defer({ trigger, resume: this.innerDone });
      }
      innerDone(): string {
        return 'inner';
      }
    }
    const outer = task('outer', () => new Inner({ taskId: 'inner' }).execute());
    expect((await runOperator(outer)).error!.message).toContain(
      'it is to go on at "innerDone", which it does not have',
    );
  });
});

describe('defer', () => {
  test('throws TaskDeferred with trigger, method, kwargs and timeout', () => {
    const operator = new DefersOperator({
      taskId: 'd',
      options: (self) => ({ trigger, resume: self.executeComplete, kwargs: { a: 1 }, timeout: '5m' }),
    });
    let thrown: unknown;
    try {
      operator.execute();
    } catch (error) {
      thrown = error;
    }
    expect(TaskDeferred.isInstance(thrown)).toBe(true);
    expect(thrown).toMatchObject({ trigger, methodName: 'executeComplete', kwargs: { a: 1 }, timeoutMs: 300_000 });
  });

  test('accepts a method inherited from a base class', async () => {
    class Sub extends DefersOperator {}
    const operator = new Sub({ taskId: 'd', options: (self) => ({ trigger, resume: self.executeComplete }) });
    expect((await runOperator(operator)).result).toBe('done');
  });
});

describe('an operator', () => {
  test.each([
    ['retries', { retries: -1 }, 'Task "t" has a wrong option "retries": -1 is not a whole number of at least 0.'],
    ['poolSlots', { poolSlots: 0 }, 'Task "t" has a wrong option "poolSlots": 0 is not a whole number of at least 1.'],
    ['triggerRule', { triggerRule: 'all_sucess' }, /"all_sucess" is none of all_success, all_failed/],
    ['retryDelay', { retryDelay: 30 }, /wrong option "retryDelay": Not a duration: 30\./],
  ])('refuses a wrong %s when it is made', (_option, options, message) => {
    expect(() => task('t', () => {}, options as never)).toThrow(message);
  });

  test('separates its own arguments from the options of every operator', () => {
    class Copy extends BaseOperator<void, { from: string; to: string }> {
      async execute() {}
    }
    const copy = new Copy({ taskId: 'copy', from: 'a', to: 'b', retries: 3, queue: 'big' });
    expect(copy.args).toEqual({ from: 'a', to: 'b' });
    expect(copy.options).toMatchObject({ retries: 3, queue: 'big', pool: 'default_pool', triggerRule: 'all_success' });
  });

  test('tells its signals, rules and dependencies', async () => {
    const rollout = task('rollout', () => {})
      .when(sufficient('error.rate', gt('v', 0.05)), 'STOP')
      .when(necessary(['sales', { key: 'fx', namespace: 'bank' }]), 'START', { onBusy: 'queue' })
      .setSignal('rollout.done');
    expect([...rollout.signals]).toEqual([
      { key: 'error.rate' },
      { key: 'sales' },
      { key: 'fx', namespace: 'bank' },
      { key: 'rollout.done' },
    ]);
    expect([...rollout.dep()]).toEqual([
      { type: 'signal', key: 'error.rate' },
      { type: 'signal', key: 'sales' },
      { type: 'signal', key: 'fx', namespace: 'bank' },
    ]);
    const state = { taskState: 'running', currentEpochs: {}, lastEpochs: {}, rules: [] } as const;
    const signal = (v: number) =>
      ({
        key: 'error.rate',
        value: { v },
        version: 1,
        offset: '1',
        namespace: 'default',
        sender: '',
        scope: {},
        sentAt: '',
      }) as const;
    expect(await rollout.onSignal(signal(0.01), state)).toBe('NONE');
    expect(await rollout.onSignal(signal(0.09), state)).toBe('STOP');
  });

  test('has a job trigger that cancels its handle when the task is killed', async () => {
    const cancelled: unknown[] = [];
    class Job extends JobTrigger<{ id: string }, string, { handle: { id: string } }> {
      static override readonly classpath = 'project:x.ts#Job';
      async *run() {
        yield new TriggerEvent('done');
      }
      async cancel(...[handle, , reason]: Parameters<JobTrigger<{ id: string }, string, any>['cancel']>) {
        cancelled.push([handle, reason]);
      }
    }
    await new Job({ handle: { id: '7' } }).onKill({} as never, 'user');
    expect(cancelled).toEqual([[{ id: '7' }, 'user']]);
  });

  test('that is asked to begin from its trigger but has none says what is missing', async () => {
    const plain = new DefersOperator({ taskId: 'd', options: () => ({}), startFromTrigger: true });
    const { error } = await runOperator(plain);
    expect(error!.message).toContain('startFromTrigger is set, but the operator has no startTrigger(context)');
  });

  test('decides by function predicates and overridden code on the worker side', async () => {
    const signal = {
      key: 'k',
      value: 3,
      version: 1,
      offset: '1',
      namespace: 'default',
      sender: '',
      scope: {},
      sentAt: '',
    };
    const state = { taskState: 'none', currentEpochs: {}, lastEpochs: {}, rules: [] } as const;
    const big = task('big', () => {}).when(
      sufficient('k', async (value) => Number(value) > 2),
      'START',
    );
    expect([big.hasSignalCode, await big.onSignal(signal, state)]).toEqual([true, 'START']);
    expect(await big.onSignal({ ...signal, value: 1 }, state)).toBe('NONE');
    expect(task('plain', () => {}).when(sufficient('k', gt(2)), 'START').hasSignalCode).toBe(false);
  });

  test.each([
    [{ interval: '0s' }, 'an interval must be longer than nothing'],
    [{ cron: 'bogus' }, '"bogus" is not a cron expression'],
    [{ cron: '* * * * *', timezone: 'Mars/X' }, '"Mars/X" is not a time zone'],
  ] as const)('refuses to run every %j', (every, message) => {
    expect(() => task('t', () => {}, { every })).toThrow(message);
  });

  test('gets its context only', async () => {
    const seen = task('seen', (context: Context) => [
      context.dagId,
      context.taskId,
      context.tryNumber,
      context.mapIndex,
    ]);
    expect((await runOperator(seen)).result).toEqual(['test_dag', 'seen', 1, -1]);
  });
});
