import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type ClaimedTrigger, type Json, type LogRecord, StaleEpochError, serialize } from '@windhover/core';
import { until } from '@windhover/core/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type TriggerHost, TriggerRunner } from '../src/index.ts';
import { userCodeExecArgv } from '../src/loader/user-code-process.ts';
import { BatchSender } from '../src/triggerer/batch-sender.ts';
import { SharedFetches } from '../src/triggerer/shared-fetches.ts';
import { SleepQueue } from '../src/triggerer/sleep-queue.ts';
import { StopSignal } from '../src/triggerer/stop-signal.ts';
import { Suspects } from '../src/triggerer/suspects.ts';
import { taskOf } from './fixtures/triggers/memory-trigger-api.ts';

const PROJECT = join(import.meta.dirname, 'fixtures/triggers/project');

/** A runner in this process, and what it told its host. */
class Scene {
  readonly told: [method: string, triggerId: string, what: unknown][] = [];
  readonly records: LogRecord[] = [];
  readonly host: TriggerHost;
  readonly runner: TriggerRunner;

  constructor(host: Partial<TriggerHost> = {}) {
    const unused = () => Promise.reject(new Error('This test has no such call.'));
    this.host = {
      submit: async ({ triggerId, outcome }) => {
        this.told.push(['submit', triggerId, outcome]);
        return 'applied';
      },
      release: async ({ triggerId, leaseEpoch }, release) =>
        void this.told.push(['release', triggerId, { leaseEpoch, ...release }]),
      progress: async () => {},
      log: async (chunks) => void this.records.push(...chunks.flatMap(({ records }) => records)),
      saveCheckpoint: async () => {},
      connection: unused,
      variable: unused,
      getXCom: unused,
      sendSignal: unused,
      listenSignal: unused,
      runStates: unused,
      ...host,
    };
    this.runner = new TriggerRunner({ projectRoot: PROJECT, host: this.host });
    onTestFinished(() => this.runner.stop());
  }

  get lines(): readonly string[] {
    return this.records.map(({ message }) => message.replace(/ in \d+$/, ''));
  }

  start(classpath: string, kwargs: Json, facts: Partial<ClaimedTrigger> = {}): ClaimedTrigger {
    const claimed: ClaimedTrigger = {
      triggerId: '1',
      leaseEpoch: 1,
      classpath,
      kwargs,
      createdAt: '2026-01-01T00:00:00.000Z',
      checkpoint: null,
      state: { type: 'waiting' },
      owner: { type: 'task', task: taskOf('waits') },
      deadlineAt: null,
      ...facts,
    };
    this.runner.start(claimed);
    return claimed;
  }

  async untilLine(line: string): Promise<void> {
    await until(() => this.lines.includes(line), `the log has "${line}"`);
  }
}

/** Longer than one timer of Node's can. */
const MONTH_MS = 30 * 86_400_000;
const ENDING = 'project:triggers.ts#EndingTrigger';

test('a runner needs no other process: it runs triggers for a host in its own', async () => {
  const scene = new Scene();
  scene.start('@windhover/core#TimeDeltaTrigger', { delta: '1h' });
  await until(() => scene.runner.size === 0, 'it is over');
  expect(scene.told).toEqual([
    ['submit', '1', { type: 'event', payload: serialize(new Date('2026-01-01T01:00:00.000Z')) }],
  ]);
});

test('a trigger whose lease was lost is stopped here by the answer to its own call', async () => {
  const scene = new Scene({
    saveCheckpoint: async ({ triggerId, leaseEpoch }) => {
      throw new StaleEpochError(`Trigger ${triggerId}`, leaseEpoch);
    },
  });
  scene.start('project:triggers.ts#CountingTrigger', { name: 'a' });
  await until(() => scene.runner.size === 0, 'it is over');
  expect(scene.lines).toContain('cleanup leaseLost');
  expect(scene.told).toEqual([['release', '1', { leaseEpoch: 1, outcome: 'handedBack' }]]);
});

test('a newer claim of a trigger begins when the older one has ended, and an older one does not begin', async () => {
  const scene = new Scene();
  scene.start(ENDING, { how: 'waits' });
  await scene.untilLine('begins');
  scene.start(ENDING, { how: 'fires' }, { leaseEpoch: 2 });
  scene.start(ENDING, { how: 'fails' }, { leaseEpoch: 1 });
  await until(() => scene.runner.size === 0, 'all are over');
  expect(scene.lines).toEqual(['begins', 'cleanup leaseLost', 'begins', 'cleanup fired']);
  expect(scene.told.map(([method]) => method)).toEqual(['release', 'submit']);
});

test('a trigger that is dropped while its class is loaded does not run', async () => {
  const scene = new Scene();
  const claimed = scene.start(ENDING, { how: 'fires' });
  await scene.runner.drop(claimed, 'killed');
  expect(scene.lines).toEqual([]);
  expect(scene.told).toEqual([['release', '1', { leaseEpoch: 1, outcome: 'handedBack' }]]);
});

test('a runner process ends with its triggerer, even if its triggers do not listen', async () => {
  const host: ChildProcess = fork(join(import.meta.dirname, 'fixtures/triggers/triggerer-host.ts'), [PROJECT], {
    execArgv: userCodeExecArgv(),
  });
  onTestFinished(() => void host.kill('SIGKILL'));
  const [pid] = (await once(host, 'message')) as [number];
  host.kill('SIGKILL');
  await until(() => !isAlive(pid), 'the runner is gone', 15_000);
}, 20_000);

test('sleeps end in the order of their times, except those that were stopped', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const durations = fc.array(fc.record({ ms: fc.nat(MONTH_MS), isStopped: fc.boolean() }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(durations, async (sleeps) => {
      const queue = new SleepQueue();
      const woken: number[] = [];
      const stopped: number[] = [];
      const begun = performance.now();
      for (const { ms, isStopped } of sleeps) {
        const stop = new StopSignal();
        const onWake = () => {
          expect(performance.now() - begun).toBeGreaterThanOrEqual(ms);
          woken.push(ms);
        };
        void queue.sleep(ms, stop).then(onWake, () => stopped.push(ms));
        if (isStopped) stop.stop(new Error('stopped'));
      }
      await vi.advanceTimersByTimeAsync(MONTH_MS + 1);
      const times = (isStopped: boolean) => sleeps.filter((each) => each.isStopped === isStopped).map(({ ms }) => ms);
      expect(woken).toEqual(times(false).sort((a, b) => a - b));
      expect(stopped).toEqual(times(true));
      expect(vi.getTimerCount()).toBe(0);
    }),
  );
});

test('what comes while a batch is under way goes together in the next, and a refusal hits only the guilty one', async () => {
  const batches: number[][] = [];
  const gate = Promise.withResolvers<void>();
  const sender = new BatchSender<number, string>({
    send: async (items) => {
      batches.push([...items]);
      await gate.promise;
      if (items.includes(3)) throw new RangeError('no threes');
      return items.map(String);
    },
    answerWithout: (item) => (item === 5 ? 'superfluous' : undefined),
    onRetry: () => {},
  });
  const first = sender.add(1);
  await until(() => batches.length === 1, 'the first is under way');
  const others = Promise.allSettled([2, 3, 4, 5].map((item) => sender.add(item)));
  gate.resolve();
  expect(await first).toBe('1');
  expect(await others).toMatchObject([
    { value: '2' },
    { reason: { message: 'no threes' } },
    { value: '4' },
    { value: 'superfluous' },
  ]);
  expect(batches).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
});

test('a shared fetch goes on while somebody wants it, and is aborted with the last', async () => {
  const fetches = new SharedFetches();
  const [first, second] = [new StopSignal(), new StopSignal()];
  let signal: AbortSignal | undefined;
  const fetch = (given: AbortSignal) => {
    signal = given;
    return new Promise<never>(() => {});
  };
  const waiting = [first, second].map((stop) => fetches.get('key', 1_000, fetch, stop));
  const ends = Promise.allSettled(waiting);
  first.stop(new Error('first'));
  await expect(waiting[0]).rejects.toThrow('first');
  expect(signal!.aborted).toBe(false);
  second.stop(new Error('second'));
  expect(await ends).toMatchObject([{ reason: { message: 'first' } }, { reason: { message: 'second' } }]);
  expect(signal!.aborted).toBe(true);
  expect(await fetches.get('key', 1_000, async () => 'anew', new StopSignal())).toBe('anew');
});

test('the trigger that kills its process is found in a number of deaths that grows with the logarithm', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.nat(), (count, at) => {
      const suspects = new Suspects();
      const guilty = at % count;
      let group = Array.from({ length: count }, (_, index) => ({ triggerId: String(index), leaseEpoch: 1 }));
      let deaths = 0;
      let verdict: number | null = null;
      while (verdict === null) {
        verdict = suspects.onDeath(group, 0);
        deaths += 1;
        const size = suspects.groupSizeOf(String(guilty));
        if (size === Number.POSITIVE_INFINITY) continue;
        const place = group.findIndex(({ triggerId }) => triggerId === String(guilty));
        group = group.slice(Math.floor(place / size) * size, Math.floor(place / size) * size + size);
      }
      expect(group).toEqual([{ triggerId: String(guilty), leaseEpoch: 1 }]);
      expect(deaths).toBeLessThanOrEqual(3 + Math.ceil(Math.log2(count)));
    }),
  );
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
