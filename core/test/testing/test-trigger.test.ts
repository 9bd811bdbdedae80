import { describe, expect, test } from 'vitest';
import { DateTimeTrigger, TimeDeltaTrigger, TriggerEvent, type TriggerScope } from '../../src/index.ts';
import { type ConformanceTest, type TriggerSuite, testTrigger } from '../../src/testing/index.ts';
import { AcmeBackend, AcmeFileTrigger, AcmeHook, AcmeJobTrigger, waitForJob } from '../fixtures/acme.ts';

const load = (specifier: string) =>
  specifier.startsWith('core/') ? import('../fixtures/acme.ts') : import('../../src/index.ts');
const backend: TriggerSuite['backend'] = (script, clock) => new AcmeBackend(script, clock);

describe('DateTimeTrigger', () => {
  const moment = new Date('2026-01-01T00:00:05.000Z');
  for (const { name, run } of testTrigger({ load, trigger: () => new DateTimeTrigger({ moment }) })) test(name, run);
});

describe('TimeDeltaTrigger', () => {
  for (const { name, run } of testTrigger({ load, trigger: () => new TimeDeltaTrigger({ delta: '5s' }) }))
    test(name, run);
});

describe('a trigger that polls', () => {
  const trigger = () => new AcmeFileTrigger({ connId: 'acme' });
  for (const { name, run } of testTrigger({ load, backend, interval: '5s', trigger })) test(name, run);
});

describe('a trigger that owns a job', () => {
  const trigger = () => new AcmeJobTrigger({ connId: 'acme', handle: 'job-1' });
  for (const { name, run } of testTrigger({ load, backend, interval: '5s', trigger })) test(name, run);
});

describe('the suite finds', () => {
  class Inherited extends AcmeJobTrigger {}
  class Misnamed extends AcmeJobTrigger {
    static override readonly classpath = 'project:core/test/fixtures/acme.ts#AcmeFileTrigger';
  }
  class Nesting extends AcmeJobTrigger {
    static override readonly classpath = 'project:core/test/fixtures/acme.ts#AcmeJobTrigger';
    override serialize(): any {
      return [Nesting.classpath, { ...this.kwargs, options: { ...this.kwargs } }];
    }
  }
  class Hot extends AcmeJobTrigger {
    static override readonly classpath = 'project:core/test/fixtures/acme.ts#AcmeJobTrigger';
    override async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<any>, void, void> {
      const hook = new AcmeHook(scope, this.kwargs.connId);
      for (;;) {
        const status = await hook.look();
        if (status !== 'pending') return yield new TriggerEvent({ status, handle: this.kwargs.handle });
        await scope.sleep(0);
      }
    }
  }
  class Impatient extends AcmeJobTrigger {
    static override readonly classpath = 'project:core/test/fixtures/acme.ts#AcmeJobTrigger';
    override async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<any>, void, void> {
      const hook = new AcmeHook(scope, this.kwargs.connId);
      for (;;) {
        const status = await hook.look();
        if (status !== 'pending') return yield new TriggerEvent({ status, handle: this.kwargs.handle });
        await scope.sleep('5s');
      }
    }
  }
  class Silent extends AcmeJobTrigger {
    static override readonly classpath = 'project:core/test/fixtures/acme.ts#AcmeJobTrigger';
    override async *run() {}
  }
  class Individual extends AcmeJobTrigger {
    static override readonly classpath = 'project:core/test/fixtures/acme.ts#AcmeJobTrigger';
    override async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<any>, void, void> {
      const { status } = await waitForJob(new AcmeHook(scope, this.kwargs.connId), this.kwargs.handle, scope);
      yield new TriggerEvent({ status, handle: crypto.randomUUID() });
    }
  }
  class Forgetful extends TimeDeltaTrigger {
    static override readonly classpath = '@windhover/core#TimeDeltaTrigger';
    override async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<any>, void, void> {
      await scope.sleep('5s');
      yield new TriggerEvent(scope.createdAt);
    }
  }
  class Deaf extends AcmeJobTrigger {
    static override readonly classpath = 'project:core/test/fixtures/acme.ts#AcmeJobTrigger';
    override async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<any>, void, void> {
      // Not for ever, or the test's process would never be idle again.
      for (let turn = 0; turn < 500; turn += 1) {
        await scope.sleep('5s').catch(() => {});
        await new AcmeHook(scope, this.kwargs.connId).look();
      }
    }
  }

  const kwargs = { connId: 'acme', handle: 'job-1' };
  const suite = (Trigger: new (kwargs: any) => any) =>
    testTrigger({ load, backend, interval: '5s', trigger: () => new Trigger(kwargs) });

  test.each([
    ['an inherited classpath', suite(Inherited), 'its classpath leads back to its own class'],
    ['a classpath of another class', suite(Misnamed), 'its classpath leads back to its own class'],
    [
      'arguments that nest deeper with each round',
      suite(Nesting),
      'serializing, making it again and serializing once more gives the same',
    ],
    ['a loop without a real sleep', suite(Hot), 'it sleeps at least its interval between two checks'],
    [
      'failing at the first passing failure',
      suite(Impatient),
      'it survives failures that pass, and gives the same event',
    ],
    ['a path without an event', suite(Silent), 'it ends with an event'],
    ['payloads that differ between copies', suite(Individual), 'two live copies yield equal payloads'],
    [
      'a wait that begins anew after a restart',
      testTrigger({ load, trigger: () => new Forgetful({ delta: '5s' }) }),
      'a restart in mid-wait changes neither the event nor when it comes',
    ],
  ] as [string, readonly ConformanceTest[], string][])('%s', async (_defect, tests, name) => {
    const question = tests.find((each) => each.name === name);
    await expect(question!.run()).rejects.toThrow();
  });

  test('a trigger that goes on after it was stopped', async () => {
    const question = suite(Deaf).find(({ name }) => name === 'it makes no request after it was stopped');
    await expect(question!.run()).rejects.toThrow();
  });
});
