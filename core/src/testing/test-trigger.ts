import { parseClasspath } from '../classpath/classpath.ts';
import { type Duration, durationMs } from '../duration.ts';
import { serialize } from '../serde/serialize.ts';
import type { BaseTrigger } from '../trigger/base-trigger.ts';
import { type BackendSetup, type ScriptedBackend, shortestGapMs, withBackend } from './backend-script.ts';
import { ConformanceError, type ConformanceTest, check, checkEqual } from './conformance-test.ts';
import { inflate, runTrigger, storedForm, type TriggerClass, type TriggerEnd } from './run-trigger.ts';
import { TestHost, type TestHostOptions } from './test-host.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface TriggerSuite {
  /** `(specifier) => import(specifier)`, written in the test, so that it resolves as a project would. */
  load(specifier: string): Promise<unknown>;
  /**
   * Where `project:` classpaths begin, such as `new URL('..', import.meta.url)`; `load` then gets a file URL. Default:
   * `load` gets the file as the classpath names it.
   */
  projectRoot?: URL;
  /** A trigger that waits. With a backend it asks that one; without, it must fire by the clock alone. */
  trigger(backend: ScriptedBackend): BaseTrigger<any, any>;
  /** Default: none, for triggers that only wait for a time. */
  backend?: BackendSetup<ScriptedBackend>;
  /** The interval its checks keep. Needed with a backend. */
  interval?: Duration;
}

/** What every trigger must do, whoever wrote it. */
export function testTrigger(suite: TriggerSuite): readonly ConformanceTest[] {
  return [...aboutStorage(suite), ...aboutRunning(suite), ...(suite.backend ? aboutPolling(suite, suite.backend) : [])];
}

function aboutStorage(suite: TriggerSuite): readonly ConformanceTest[] {
  return [
    {
      name: 'its classpath leads back to its own class',
      run: () =>
        withTrigger(suite, async (trigger) => {
          const { classpath } = storedForm(trigger);
          const found = await exportOf(suite, classpath);
          check(
            found === trigger.constructor,
            `${classpath} leads to ${String(found)}, not to ${trigger.constructor.name}`,
          );
        }),
    },
    {
      name: 'serializing, making it again and serializing once more gives the same',
      run: () =>
        withTrigger(suite, async (trigger) => {
          const once = storedForm(trigger);
          checkEqual(storedForm(inflate(classOf(trigger), once)), once, 'the second serialization');
        }),
    },
    {
      name: 'running does not change its arguments',
      run: () =>
        withTrigger(suite, async (trigger, options) => {
          const made: { kwargs: unknown }[] = [];
          class Watched extends (classOf(trigger) as any) {
            constructor(kwargs: unknown) {
              super(kwargs);
              made.push({ kwargs });
            }
          }
          const before = storedForm(trigger);
          const host = new TestHost(options);
          await runTrigger(Watched as any as TriggerClass, before, { host });
          for (const { kwargs } of made) checkEqual(serialize(kwargs), before.kwargs, 'the kwargs after a run');
        }),
    },
  ];
}

function aboutRunning(suite: TriggerSuite): readonly ConformanceTest[] {
  return [
    {
      name: 'it ends with an event',
      run: () => withTrigger(suite, async (trigger, host) => checkFired(await endOf(trigger, host))),
    },
    {
      name: 'two live copies yield equal payloads',
      run: () =>
        withTrigger(suite, async (trigger, host) => {
          const stored = storedForm(trigger);
          const shared = new TestHost(host);
          const run = () => runTrigger(classOf(trigger), stored, { host: shared });
          const [one, other] = await Promise.all([run(), run()]);
          checkFired(one);
          checkEqual(one, other, 'what the two copies yielded');
        }),
    },
    {
      name: 'a restart in mid-wait changes neither the event nor when it comes',
      run: async () => {
        const ends: { end: TriggerEnd; at: string }[] = [];
        for (const restartEvery of [undefined, restartSpan(suite)]) {
          await withTrigger(suite, async (trigger, options) => {
            const host = new TestHost(options);
            const end = await runTrigger(classOf(trigger), storedForm(trigger), {
              host,
              ...(restartEvery ? { restartEvery } : {}),
            });
            ends.push({ end, at: host.clock.now().toISOString() });
          });
        }
        checkFired(ends[0]!.end);
        checkEqual(ends[1]!.end, ends[0]!.end, 'the event after restarts');
        // A restarted poll may look one interval later than it would have; more means that the wait began anew.
        const lateMs = Date.parse(ends[1]!.at) - Date.parse(ends[0]!.at);
        const allowedMs = suite.interval ? 2 * durationMs(suite.interval) : 0;
        check(
          lateMs <= allowedMs,
          `with restarts the event came ${lateMs} ms later: the wait began anew instead of going on`,
        );
      },
    },
    {
      name: 'it stops when it is told to, and cleans up',
      run: () =>
        withTrigger(
          suite,
          async (trigger, options) => {
            const host = new TestHost(options);
            const kills = [{ at: new Date(host.clock.now().getTime() + 1), reason: 'user' as const }];
            const reasons: string[] = [];
            class Watched extends (classOf(trigger) as any) {
              async cleanup(reason: string) {
                reasons.push(reason);
                await super.cleanup(reason);
              }
            }
            const end = await runTrigger(Watched as any as TriggerClass, storedForm(trigger), { host, kills });
            check(end.type === 'killed', `it did not stop but ended as ${end.type}`);
            checkEqual(reasons, ['killed'], 'the calls of cleanup');
          },
          PENDING,
        ),
    },
  ];
}

function aboutPolling(suite: TriggerSuite, backend: BackendSetup<ScriptedBackend>): readonly ConformanceTest[] {
  const intervalMs = durationMs(suite.interval!);
  return [
    {
      name: 'it sleeps at least its interval between two checks',
      run: () =>
        withBackend(backend, [...PENDING, 'done'], new VirtualClock(), async (running, host) => {
          await endOf(suite.trigger(running), host);
          check(running.checks().length > PENDING.length, `it looked only ${running.checks().length} times`);
          const gapMs = shortestGapMs(running.checks());
          check(gapMs >= intervalMs, `two checks were only ${gapMs} ms apart, its interval is ${intervalMs} ms`);
        }),
    },
    {
      name: 'it survives failures that pass, and gives the same event',
      run: async () => {
        const ends: TriggerEnd[] = [];
        for (const script of [['done'], ['transient', 'transient', 'pending', 'transient', 'done']] as const) {
          await withBackend(backend, script, new VirtualClock(), async (running, host) => {
            ends.push(await endOf(suite.trigger(running), host));
          });
        }
        checkFired(ends[0]!);
        checkEqual(ends[1], ends[0], 'the event after passing failures');
      },
    },
    {
      name: 'it gives up on failures that do not pass',
      run: () =>
        withBackend(backend, ['transient'], new VirtualClock(), async (running, host) => {
          const end = await endOf(suite.trigger(running), host);
          check(end.type === 'failed' || end.type === 'event', `it ended as ${end.type}`);
          check(running.checks().length > 1, 'it gave up at the first failure');
        }),
    },
    {
      name: 'it makes no request after it was stopped',
      run: () =>
        withBackend(backend, PENDING, new VirtualClock(), async (running, options) => {
          const host = new TestHost(options);
          const kills = [{ at: new Date(host.clock.now().getTime() + intervalMs * 2 + 1), reason: 'user' as const }];
          const trigger = suite.trigger(running);
          const end = await runTrigger(classOf(trigger), storedForm(trigger), { host, kills });
          check(end.type === 'killed', `it did not stop but ended as ${end.type}`);
          const before = running.checks().length;
          await host.clock.sleep(intervalMs * 5);
          checkEqual(running.checks().length, before, 'the checks after the stop');
        }),
    },
  ];
}

const PENDING = ['pending', 'pending', 'pending', 'pending', 'pending'] as const;

async function withTrigger(
  suite: TriggerSuite,
  test: (trigger: BaseTrigger<any, any>, host: TestHostOptions) => Promise<void>,
  script: Parameters<BackendSetup<ScriptedBackend>>[0] = ['pending', 'pending', 'done'],
): Promise<void> {
  const clock = new VirtualClock();
  const none: ScriptedBackend = { checks: () => [] };
  await withBackend(suite.backend ?? (() => none), script, clock, (backend, host) =>
    test(suite.trigger(backend), host),
  );
}

/** Says why it failed, where it did: most often the test's own backend. */
function checkFired(end: TriggerEnd): void {
  check(end.type !== 'failed', `it failed: ${end.type === 'failed' ? end.error.message : ''}`);
}

async function exportOf(suite: TriggerSuite, classpath: string): Promise<unknown> {
  const parsed = parseClasspath(classpath);
  const file = parsed.type === 'project' ? parsed.file : [parsed.packageName, parsed.subpath].filter(Boolean).join('/');
  const specifier = parsed.type === 'project' && suite.projectRoot ? new URL(file, suite.projectRoot).href : file;
  try {
    return ((await suite.load(specifier)) as Record<string, unknown>)[parsed.exportName];
  } catch (error) {
    const advice = parsed.type === 'project' ? ' For files of the project, pass projectRoot.' : '';
    throw new ConformanceError(`${classpath} could not be loaded: load("${specifier}") failed: ${error}.${advice}`);
  }
}

function endOf(trigger: BaseTrigger<any, any>, options: TestHostOptions): Promise<TriggerEnd> {
  return runTrigger(classOf(trigger), storedForm(trigger), { host: new TestHost(options) });
}

function classOf(trigger: BaseTrigger<any, any>): TriggerClass {
  return trigger.constructor as TriggerClass;
}

/** Between two checks, so that a restart falls into the middle of a sleep. */
function restartSpan(suite: TriggerSuite): Duration {
  return { milliseconds: suite.interval ? durationMs(suite.interval) * 1.5 : 700 };
}
