import { join } from 'node:path';
import { type ClaimedTrigger, type Json, type LogRecord, serialize } from '@windhover/core';
import { until } from '@windhover/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { Triggerer, type TriggererOptions } from '../src/index.ts';
import { makeProject } from './fixtures/projects/temporary-project.ts';
import { type MemoryTrigger, MemoryTriggerApi, taskOf } from './fixtures/triggers/memory-trigger-api.ts';

const PROJECT = join(import.meta.dirname, 'fixtures/triggers/project');
const SLOW = 30_000;

/** A triggerer with real runner processes over an API in memory. */
class Scene {
  readonly api: MemoryTriggerApi;
  readonly triggerer: Triggerer;
  readonly log: Pick<LogRecord, 'level' | 'message'>[] = [];

  constructor(options: Partial<TriggererOptions> & { api?: MemoryTriggerApi } = {}) {
    this.api = options.api ?? new MemoryTriggerApi();
    const write = (level: LogRecord['level']) => (message: string) => void this.log.push({ level, message });
    this.triggerer = new Triggerer({
      triggerApi: this.api,
      projectRoot: PROJECT,
      queues: ['default'],
      capacity: 10_000,
      log: { debug: write('debug'), info: write('info'), warning: write('warning'), error: write('error') },
      ...options,
    });
  }

  static async start(options?: ConstructorParameters<typeof Scene>[0]): Promise<Scene> {
    const scene = new Scene(options);
    await scene.triggerer.start();
    onTestFinished(() => {
      scene.api.isReachable = true;
      return scene.triggerer.stop();
    });
    return scene;
  }

  /** A trigger of the project's `triggers.ts`. */
  add(name: string, kwargs: Json = {}, options?: { owner?: ClaimedTrigger['owner'] }): MemoryTrigger {
    return this.api.add(`project:triggers.ts#${name}`, kwargs, options);
  }
}

async function untilOver(...triggers: readonly MemoryTrigger[]): Promise<void> {
  await until(() => triggers.every(({ isGone }) => isGone), 'the triggers are over', SLOW);
}

async function untilLine(trigger: MemoryTrigger, line: string | RegExp, count = 1): Promise<void> {
  const isIt = (one: string) => (typeof line === 'string' ? one === line : line.test(one));
  await until(
    () => trigger.lines.filter(isIt).length >= count,
    `the log of ${trigger.id} has ${count} × ${line}`,
    SLOW,
  );
}

function pidOf(trigger: MemoryTrigger): number {
  return Number(/\d+/.exec(trigger.lines.findLast((line) => line.startsWith('begins'))!)![0]);
}

test(
  'what a trigger yields or throws becomes the outcome of its wait, and it is cleaned up',
  async () => {
    const scene = await Scene.start();
    const hows = ['fires', 'succeeds', 'fails', 'skips', 'yields a function', 'ends without an event'];
    const triggers = hows.map((how) => scene.add('EndingTrigger', { how }));
    await untilOver(...triggers);
    expect(triggers.map(({ outcomes }) => outcomes)).toMatchObject([
      [{ type: 'event', id: 'e1', payload: { at: { $date: '2026-01-01T00:00:00.000Z' } } }],
      [{ type: 'success', result: { type: 'value', value: { $bigint: '7' } } }],
      [{ type: 'failed', error: { name: 'RangeError', message: 'no such luck' } }],
      [{ type: 'skipped', reason: 'nothing to do' }],
      [{ type: 'failed', error: { code: 'E_SERIALIZE' } }],
      [{ type: 'failed', error: { code: 'E_TRIGGER_NO_EVENT' } }],
    ]);
    const exits = ['fired', 'fired', 'failed', 'fired', 'failed', 'failed'];
    await Promise.all(triggers.map((trigger, index) => untilLine(trigger, `cleanup ${exits[index]}`)));
    expect(triggers[2]!.chunks[0]!.writer).toBe('trigger:3:1');
    expect(triggers[2]!.lines).toContainEqual(expect.stringMatching(/^RangeError: no such luck\n.*triggers\.ts/));
    expect(triggers.flatMap(({ claims }) => claims)).toHaveLength(hows.length);
  },
  SLOW,
);

test(
  'a trigger whose class is missing or no trigger fails its task for good, with the error of the loader',
  async () => {
    const scene = await Scene.start();
    const triggers = [
      scene.add('NoSuchTrigger'),
      scene.add('notATrigger'),
      scene.api.add('@windhover/provider-acme#AcmeTrigger'),
      scene.api.add('@windhover/core#DateTimeTrigger', { $unknown: 1 }),
    ];
    await untilOver(...triggers);
    const codes = ['E_CLASSPATH_EXPORT', 'E_CLASSPATH_KIND', 'E_CLASSPATH_PACKAGE', 'E_DESERIALIZE'];
    expect(triggers.map(({ outcomes }) => outcomes)).toMatchObject(
      codes.map((code) => [{ type: 'failed', error: { code, isRetryable: false } }]),
    );
  },
  SLOW,
);

test(
  'a thousand time triggers wait in one process by the clock of the database, and fire',
  async () => {
    const api = new MemoryTriggerApi();
    // An hour by this machine's clock: a triggerer that slept by it would be late.
    api.clockOffsetMs = 3_600_000;
    const scene = await Scene.start({ api });
    const moments = Array.from({ length: 1_000 }, (_, index) => new Date(Date.now() + api.clockOffsetMs + index));
    const triggers = moments.map((moment) => api.add('@windhover/core#DateTimeTrigger', serialize({ moment })));
    await untilOver(...triggers);
    expect(triggers.map(({ outcomes }) => outcomes)).toEqual(
      moments.map((moment) => [{ type: 'event', payload: serialize(moment) }]),
    );
    expect(api.submits.length).toBeLessThan(1_000);
    await until(() => scene.triggerer.size === 0, 'there is room again');
  },
  SLOW,
);

test(
  'no more triggers are claimed than there is room for, and others follow when some are over',
  async () => {
    const scene = await Scene.start({ capacity: 2 });
    const triggers = Array.from({ length: 5 }, () => scene.add('EndingTrigger', { how: 'waits' }));
    await until(() => triggers.filter(({ claims }) => claims.length > 0).length === 2, 'two are claimed', SLOW);
    const [first] = triggers.filter(({ claims }) => claims.length > 0);
    await untilLine(first!, /^begins/);
    expect(scene.triggerer.size).toBe(2);
    scene.api.kill(first!, 'user');
    await untilOver(first!);
    await until(() => triggers.filter(({ claims }) => claims.length > 0).length === 3, 'one more is claimed', SLOW);
    await until(() => scene.triggerer.size === 2, 'it holds two again');
  },
  SLOW,
);

test(
  'a killed trigger is stopped and cleaned up, and its onKill is tried until it succeeds or is hopeless',
  async () => {
    const scene = await Scene.start();
    const flaky = scene.add('JobTrigger', { failures: 2 });
    const hopeless = scene.add('JobTrigger', { failures: 0, isHopeless: true });
    const missing = scene.add('NoSuchTrigger');
    missing.state = { type: 'cancelling', reason: 'clear' };
    await untilLine(flaky, /^begins/);
    scene.api.kill(flaky, 'user');
    scene.api.kill(hopeless, 'timeout');
    await untilOver(flaky, hopeless, missing);
    await untilLine(flaky, 'cleanup killed');
    expect(flaky.lines.filter((line) => line === 'onKill user')).toHaveLength(3);
    expect(flaky.releases).toEqual([{ outcome: 'killed' }]);
    expect(hopeless.lines.filter((line) => line === 'onKill timeout')).toHaveLength(1);
    expect(hopeless.releases).toMatchObject([{ outcome: 'killFailed', error: { message: 'no such job' } }]);
    expect(missing.releases).toMatchObject([{ outcome: 'killFailed', error: { code: 'E_CLASSPATH_EXPORT' } }]);
    expect([flaky, hopeless, missing].flatMap(({ outcomes }) => outcomes)).toEqual([]);
  },
  SLOW,
);

test(
  'a trigger goes on from its checkpoint after its process was killed',
  async () => {
    const scene = await Scene.start();
    const counting = scene.add('CountingTrigger', { name: 'a' });
    const ending = scene.add('EndingTrigger', { how: 'fires' });
    await untilLine(counting, 'begun 1');
    await untilOver(ending);
    process.kill(pidOf(counting), 'SIGKILL');
    await untilLine(counting, 'begun 2');
    expect(counting.lines.filter((line) => line.startsWith('onKill') || line.startsWith('cleanup'))).toEqual([]);
    expect(counting.releases).toEqual([{ outcome: 'handedBack' }]);
    expect(scene.log).toContainEqual(expect.objectContaining({ message: expect.stringContaining('SIGKILL') }));
  },
  SLOW,
);

test(
  'stopping hands everything back, and another triggerer goes on',
  async () => {
    const first = await Scene.start();
    const triggers = [
      first.add('CountingTrigger', { name: 'a' }),
      first.add('EndingTrigger', { how: 'waits' }),
      first.add('JobTrigger', { failures: 1_000 }),
    ];
    const [counting, waiting, killed] = triggers as [MemoryTrigger, MemoryTrigger, MemoryTrigger];
    await untilLine(counting, 'begun 1');
    await untilLine(waiting, /^begins/);
    first.api.kill(killed, 'stop');
    await untilLine(killed, 'onKill stop');
    await first.triggerer.stop();
    expect(triggers.map(({ triggererId }) => triggererId)).toEqual([null, null, null]);
    expect(triggers.map(({ releases }) => releases.at(-1))).toEqual(triggers.map(() => ({ outcome: 'handedBack' })));
    expect(counting.lines).toContain('cleanup handedBack');
    expect(waiting.lines).toContain('cleanup handedBack');
    const before = pidOf(counting);
    await Scene.start({ api: first.api });
    await untilLine(counting, 'begun 2');
    expect(pidOf(counting)).not.toBe(before);
    await untilLine(killed, 'onKill stop', 2);
  },
  SLOW,
);

test(
  'secrets do not appear in the log, in the error, or in what the process prints',
  async () => {
    const scene = await Scene.start();
    scene.api.connections.acme = { connType: 'acme', password: 'hunter2!', extra: { apiKey: 'k3y-of-acme' } };
    scene.api.variables.acme_token = 'tok-123';
    const owner = { type: 'task', task: taskOf('waits', { secretsToMask: ['s3cr3t-of-the-task'] }) } as const;
    const trigger = scene.add('SecretTrigger', { connId: 'acme' }, { owner });
    await untilOver(trigger);
    expect(trigger.lines).toEqual(expect.arrayContaining(['logs in with ***', 'printed ***']));
    expect(trigger.outcomes).toMatchObject([{ type: 'failed', error: { message: 'refused: *** ***' } }]);
    expect(JSON.stringify([trigger.chunks, trigger.outcomes, scene.log])).not.toMatch(/hunter2|tok-123|s3cr3t-of/);
  },
  SLOW,
);

test(
  'a sensor is poked in the triggerer, with its functions and its rendered arguments',
  async () => {
    const scene = await Scene.start();
    scene.api.variables.ready = 'no';
    const task = taskOf('flag', { conf: { flag: 'ready', who: 'me' } });
    const reference = { ...task.key, versionHash: 'v1', rendered: [[['note'], 'rendered before']] };
    const kwargs = serialize({ ...reference, checksBefore: 0, failuresBefore: 0 });
    const sensor = scene.api.add('@windhover/core#SensorTrigger', kwargs, { owner: { type: 'task', task } });
    const start = scene.api.add('@windhover/core#TaskStartTrigger', serialize({ ...reference, rendered: [] }), {
      owner: { type: 'task', task },
    });
    const foreign = scene.api.add('@windhover/core#SensorTrigger', kwargs);
    const removed = scene.api.add('@windhover/core#SensorTrigger', serialize({ ...reference, taskId: 'gone' }), {
      owner: { type: 'task', task: taskOf('gone') },
    });
    await untilLine(sensor, /^check 2: no/);
    await until(() => sensor.progress?.outcome === 'nothing', 'its progress is told');
    scene.api.variables.ready = 'yes';
    await untilOver(sensor, start, foreign, removed);
    expect(sensor.outcomes).toEqual([{ type: 'success', result: { type: 'value', value: 'rendered before flag me' } }]);
    expect(start.outcomes).toMatchObject([
      { type: 'deferred', deferral: { trigger: { classpath: '@windhover/core#SensorTrigger' } } },
    ]);
    expect(foreign.outcomes).toMatchObject([{ type: 'failed', error: { code: 'E_TRIGGER_TASK' } }]);
    expect(removed.outcomes).toMatchObject([{ type: 'failed', error: { code: 'E_TASK_REMOVED' } }]);
  },
  SLOW,
);

test(
  'changed code moves triggers to a new process, where they go on; nothing is killed',
  async () => {
    const text = (version: number) => `import { BaseTrigger, TriggerEvent } from '@windhover/core';
      export class Versioned extends BaseTrigger {
        static classpath = 'project:versioned.ts#Versioned';
        async *run(scope) {
          scope.log.info('runs ${version}');
          scope.log.info('pid ' + process.pid);
          if (${version} === 2) yield new TriggerEvent({ version: ${version}, before: scope.checkpoint.load() });
          await scope.checkpoint.save('saved by ${version}');
          scope.log.info('saved');
          await scope.sleep('1h');
        }
        async onKill(scope) { scope.log.info('onKill'); }
        async cleanup(reason) { console.log('cleanup ' + reason); }
      }`;
    const project = makeProject({ 'versioned.ts': text(1) });
    const scene = await Scene.start({ projectRoot: project.root });
    const trigger = scene.api.add('project:versioned.ts#Versioned');
    await untilLine(trigger, 'saved');
    project.write({ 'versioned.ts': text(2) });
    await untilOver(trigger);
    expect(trigger.outcomes).toEqual([{ type: 'event', payload: { version: 2, before: 'saved by 1' } }]);
    expect(trigger.lines).toEqual(expect.arrayContaining(['runs 1', 'cleanup handedBack', 'runs 2']));
    expect(trigger.lines).not.toContain('onKill');
    expect(new Set(trigger.lines.filter((line) => line.startsWith('pid'))).size).toBe(2);
  },
  SLOW,
);

test(
  'an outage of the platform shorter than the lease is not noticed by triggers',
  async () => {
    const scene = await Scene.start();
    const waiting = scene.add('EndingTrigger', { how: 'waits' });
    await untilLine(waiting, /^begins/);
    const moment = new Date(Date.now() + 1_000);
    const timed = scene.api.add('@windhover/core#DateTimeTrigger', serialize({ moment }));
    await until(() => timed.claims.length === 1, 'it is claimed');
    scene.api.isReachable = false;
    await until(
      () => scene.log.some(({ message }) => message.startsWith('Events of triggers could not be sent')),
      'the event was sent in vain',
      SLOW,
    );
    scene.api.isReachable = true;
    await untilOver(timed);
    expect(timed.outcomes).toEqual([{ type: 'event', payload: serialize(moment) }]);
    expect(waiting.claims).toHaveLength(1);
  },
  SLOW,
);

test(
  'triggers are stopped when their leases have run out, and claimed again when the platform is back',
  async () => {
    const api = new MemoryTriggerApi();
    api.leaseMs = 600;
    const scene = await Scene.start({ api });
    const counting = scene.add('CountingTrigger', { name: 'a' });
    await untilLine(counting, 'begun 1');
    api.isReachable = false;
    await until(() => scene.triggerer.size === 0, 'the trigger is given up', SLOW);
    api.isReachable = true;
    await untilLine(counting, 'begun 2');
    await untilLine(counting, 'cleanup leaseLost');
    expect(counting.releases).toEqual([{ outcome: 'handedBack' }]);
  },
  SLOW,
);

test(
  'an event that the platform refuses fails its trigger with the refusal, and no other',
  async () => {
    const scene = await Scene.start();
    scene.api.onSubmit = (events) => {
      const isTooLarge = events.some(({ triggerId, outcome }) => triggerId === '1' && outcome.type === 'event');
      if (isTooLarge) throw Object.assign(new Error('the event is too large'), { status: 413 });
    };
    const triggers = Array.from({ length: 3 }, () => scene.add('EndingTrigger', { how: 'fires' }));
    await untilOver(...triggers);
    expect(triggers.map(({ outcomes }) => outcomes)).toMatchObject([
      [{ type: 'failed', error: { message: 'the event is too large' } }],
      [{ type: 'event' }],
      [{ type: 'event' }],
    ]);
  },
  SLOW,
);

test(
  'equal requests of many triggers become one',
  async () => {
    const scene = await Scene.start();
    const triggers = Array.from({ length: 20 }, (_, index) => scene.add('SharingTrigger', { key: `k${index % 2}` }));
    await untilOver(...triggers);
    const payloads = triggers.flatMap(({ outcomes }) =>
      outcomes.map((outcome) => (outcome as { payload: Json }).payload),
    );
    expect(payloads).toHaveLength(20);
    expect(new Set(payloads)).toEqual(new Set([1, 2]));
  },
  SLOW,
);

test(
  'blocking work runs in a thread, which ends with its trigger',
  async () => {
    const scene = await Scene.start();
    const blocking = scene.add('ThreadTrigger', { name: 'block', ms: 200 });
    const failing = scene.add('ThreadTrigger', { name: 'blockAndFail', ms: 0 });
    const long = scene.add('ThreadTrigger', { name: 'block', ms: 3_600_000 });
    await untilLine(long, 'calls');
    await untilOver(blocking, failing);
    expect(blocking.outcomes).toEqual([
      { type: 'event', payload: { isMainThread: false, text: { $map: [['text', 'a']] } } },
    ]);
    expect(failing.outcomes).toMatchObject([
      { type: 'failed', error: { name: 'RangeError', message: 'blocked in vain' } },
    ]);
    await scene.triggerer.stop();
    expect(long.releases).toEqual([{ outcome: 'handedBack' }]);
  },
  SLOW,
);

test(
  'an error that nobody caught fails the trigger it came from, and the others go on',
  async () => {
    const scene = await Scene.start();
    const bystander = scene.add('EndingTrigger', { how: 'waits' });
    await untilLine(bystander, /^begins/);
    const triggers = ['timer', 'promise', 'exit'].map((kind) => scene.add('StrayTrigger', { kind }));
    await untilOver(...triggers);
    expect(triggers.map(({ outcomes }) => outcomes)).toMatchObject([
      [{ type: 'failed', error: { message: 'from a timer' } }],
      [{ type: 'failed', error: { message: 'from a promise' } }],
      [{ type: 'failed', error: { message: expect.stringContaining('process.exit(3)') } }],
    ]);
    await Promise.all(triggers.map((trigger) => untilLine(trigger, 'cleanup failed')));
    expect(bystander.claims).toHaveLength(1);
  },
  SLOW,
);

test(
  'a trigger that kills its process again and again is found among the others and fails; they go on',
  async () => {
    const scene = await Scene.start();
    const innocent = Array.from({ length: 7 }, (_, index) => scene.add('CountingTrigger', { name: String(index) }));
    const guilty = scene.add('StrayTrigger', { kind: 'crash' });
    await untilOver(guilty);
    expect(guilty.outcomes).toMatchObject([{ type: 'failed', error: { code: 'E_TRIGGER_RUNNER_LOST' } }]);
    await Promise.all(innocent.map((trigger) => untilLine(trigger, /^begins/)));
    const claims = innocent.map((trigger) => trigger.claims.length);
    const late = scene.add('EndingTrigger', { how: 'fires' });
    await untilOver(late);
    expect(innocent.flatMap(({ outcomes }) => outcomes)).toEqual([]);
    expect(innocent.map((trigger) => trigger.claims.length)).toEqual(claims);
  },
  SLOW,
);

test(
  'a trigger reads xcoms, runs and signals, and a watcher submits each of its events',
  async () => {
    const scene = await Scene.start();
    scene.api.xcoms.other = serialize(new Set([1]));
    scene.api.clockOffsetMs = 0;
    const asking = scene.add('AskingTrigger', { taskId: 'other' });
    const owner = { type: 'dag', dagId: 'waits', signal: 'seen' } as const;
    const watching = scene.add('WatchingTrigger', { count: 3 }, { owner });
    const polling = scene.add('PollingTrigger', { checks: 3 });
    await until(() => scene.api.signals.some(({ key }) => key === 'asked'), 'it has asked', SLOW);
    scene.api.signal('answer', { is: 42 });
    await untilOver(asking, polling);
    expect(asking.outcomes).toMatchObject([
      { payload: { value: { is: 42 }, states: [{ state: 'success' }], pulled: { $set: [1] } } },
    ]);
    expect(polling.outcomes).toEqual([{ type: 'event', payload: 3 }]);
    expect(polling.lines).toContainEqual(expect.stringMatching(/^Check failed, trying again in 10 ms: busy/));
    await until(() => watching.outcomes.length === 3, 'three events are submitted', SLOW);
    expect(watching.outcomes).toEqual(
      [1, 2, 3].map((index) => ({ type: 'event', payload: { index }, id: String(index), checkpoint: index })),
    );
    expect(watching.isGone).toBe(false);
  },
  SLOW,
);

test(
  'an error in cleanup is told in the log of the task and changes nothing',
  async () => {
    const scene = await Scene.start();
    const trigger = scene.add('EndingTrigger', { how: 'fails in cleanup' });
    await untilOver(trigger);
    expect(trigger.outcomes).toEqual([{ type: 'event', payload: 1 }]);
    await untilLine(trigger, /^Its cleanup\(\) did not end in order: TypeError: the client is closed/);
  },
  SLOW,
);
