import { describe, expect, test } from 'vitest';
import { BaseSensor, type BaseTrigger, type ChecksBefore, type TriggerContext } from '../../src/index.ts';
import { type SensorSuite, testSensor } from '../../src/testing/index.ts';
import { AcmeBackend, AcmeFileSensor, AcmeFileTrigger, AcmeHook } from '../fixtures/acme.ts';

const backend: SensorSuite['backend'] = (script, clock) => new AcmeBackend(script, clock);

describe('a sensor that only has poke', () => {
  const sensor: SensorSuite['sensor'] = (_backend, options) => new AcmeFileSensor({ connId: 'acme', ...options });
  for (const { name, run } of testSensor({ backend, sensor })) test(name, run);
});

describe('a sensor that looks at other runs', () => {
  class RunSensor extends BaseSensor<string> {
    async poke(context: TriggerContext) {
      const [run] = await context.runStates({ dagId: 'other' });
      return { isDone: run?.state === 'success', xcom: run?.runId ?? '' };
    }
  }
  const runs: SensorSuite['backend'] = (script, clock) => {
    const checks: Date[] = [];
    return {
      checks: () => checks,
      runStates: () => {
        const answer = script[Math.min(checks.push(clock.now()), script.length) - 1];
        return [{ runId: 'r', logicalDate: new Date(0), state: answer === 'done' ? 'success' : 'running', tasks: {} }];
      },
    };
  };
  const sensor: SensorSuite['sensor'] = (_backend, options) => new RunSensor(options);
  for (const { name, run } of testSensor({ backend: runs, sensor, answers: ['pending', 'done'] })) test(name, run);
});

describe('the suite finds', () => {
  class Eager extends AcmeFileSensor {
    override pollOptions(context: TriggerContext, before: ChecksBefore) {
      return { ...super.pollOptions(context, before), interval: '1s' as const };
    }
  }
  class Different extends AcmeFileSensor {
    protected override waitTrigger(): BaseTrigger<any, any> {
      return new AcmeFileTrigger({ connId: 'acme' });
    }
  }
  class OtherCaller extends AcmeFileSensor {
    override async poke(context: TriggerContext) {
      const hook = new AcmeHook(context, 'defer' in context ? 'acme' : 'acme_other');
      return { isDone: (await hook.look()) === 'done', xcom: 'the file' };
    }
  }
  class Unforgiving extends BaseSensor<string, { connId: string }> {
    async poke(context: TriggerContext) {
      try {
        return (await new AcmeHook(context, this.args.connId).look()) === 'done';
      } catch (error) {
        throw new Error('it failed', { cause: String(error) });
      }
    }
  }

  const suite = (Sensor: new (options: any) => BaseSensor<any, any>) =>
    testSensor({
      backend: (script, clock) => {
        const acme = new AcmeBackend(script, clock);
        acme.connections.acme_other = acme.connections.acme!.replace('worker', 'somebody');
        return acme;
      },
      sensor: (_backend, options) => new Sensor({ connId: 'acme', ...options }),
    });

  test.each([
    ['an interval of its own', suite(Eager), 'it keeps its interval in every mode'],
    ['a trigger that answers otherwise than poke', suite(Different), 'all modes give the same result'],
    ['another caller in the triggerer', suite(OtherCaller), 'overrides of its connection reach the trigger'],
    [
      'failing at a passing failure',
      suite(Unforgiving),
      'failures that pass are survived in every mode, also at the first look',
    ],
  ])('%s', async (_defect, tests, name) => {
    const question = tests.find((each) => each.name === name);
    await expect(question!.run()).rejects.toThrow();
  });
});
