import { describe, expect, test } from 'vitest';
import { type Context, TaskFailed, type TriggerEvent } from '../../src/index.ts';
import { type JobOperatorSuite, testJobOperator } from '../../src/testing/index.ts';
import { AcmeBackend, type AcmeEvent, AcmeHook, AcmeJobOperator, AcmeJobTrigger } from '../fixtures/acme.ts';

const backend: JobOperatorSuite['backend'] = (script, clock) => new AcmeBackend(script, clock);
const events: AcmeEvent[] = [
  { status: 'done', handle: 'job-1' },
  { status: 'failed', handle: 'job-1' },
];
const suite = (Operator: typeof AcmeJobOperator, more: Partial<JobOperatorSuite> = {}) =>
  testJobOperator({
    backend,
    events,
    interval: '5s',
    operator: (_backend, options) => new Operator({ connId: 'acme', ...options }),
    ...more,
  });

describe('an operator that submits and waits', () => {
  for (const { name, run } of suite(AcmeJobOperator)) test(name, run);
});

describe('the suite finds', () => {
  class NoStep extends AcmeJobOperator {
    override async execute(context: Context): Promise<string> {
      const handle = (await new AcmeHook(context, 'acme').client()).backend.submit();
      this.defer({ trigger: new AcmeJobTrigger({ handle, connId: 'acme' }), resume: this.executeComplete });
    }
  }
  class NoCancelTrigger extends AcmeJobTrigger {
    static override readonly classpath = 'project:core/test/fixtures/acme.ts#NoCancelTrigger';
    override async cancel() {}
  }
  class DoubleCancelTrigger extends AcmeJobTrigger {
    static override readonly classpath = 'project:core/test/fixtures/acme.ts#DoubleCancelTrigger';
    override async cancel(...args: Parameters<AcmeJobTrigger['cancel']>) {
      await super.cancel(...args);
      await super.cancel(...args);
    }
  }
  const withTrigger = (Trigger: typeof AcmeJobTrigger) =>
    class extends AcmeJobOperator {
      override async execute(context: Context): Promise<string> {
        const hook = new AcmeHook(context, 'acme');
        const handle = await context.step('submit', async () => (await hook.client()).backend.submit());
        this.defer({ trigger: new Trigger({ handle, connId: 'acme' }), resume: this.executeComplete });
      }
    };
  class OtherResult extends AcmeJobOperator {
    override executeComplete(_context: Context, event: TriggerEvent<AcmeEvent>): string {
      return event.payload.handle;
    }
  }
  class OtherError extends AcmeJobOperator {
    override executeComplete(context: Context, event: TriggerEvent<AcmeEvent>): string {
      if (event.payload.status === 'failed') throw new TaskFailed('something went wrong');
      return super.executeComplete(context, event);
    }
  }
  class Stumbling extends AcmeJobOperator {
    override executeComplete(_context: Context, event: TriggerEvent<any>): string {
      return event.payload.message.text;
    }
  }

  test.each([
    ['a submission that is not a step', suite(NoStep), 'a worker lost after the submission does not pay twice'],
    ['a job that is not cancelled', suite(withTrigger(NoCancelTrigger)), 'a kill cancels each of its jobs, once'],
    ['a job that is cancelled twice', suite(withTrigger(DoubleCancelTrigger)), 'a kill cancels each of its jobs, once'],
    ['another result when deferred', suite(OtherResult), 'it succeeds alike whether it defers or holds its worker'],
    ['another error when deferred', suite(OtherError), 'it fails alike whether it defers or holds its worker'],
    ['an event that is not understood', suite(Stumbling), 'every event its trigger can yield is understood'],
    [
      'a shorter interval than promised',
      suite(AcmeJobOperator, { interval: '6s' }),
      'it keeps its interval between two checks',
    ],
  ])('%s', async (_defect, tests, name) => {
    const question = tests.find((each) => each.name === name);
    await expect(question!.run()).rejects.toThrow();
  });
});
