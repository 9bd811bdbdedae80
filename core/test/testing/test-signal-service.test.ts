import { describe, expect, test } from 'vitest';
import type { SignalVersion } from '../../src/signal/signal.ts';
import type { SignalWatcher } from '../../src/signal/signal-service.ts';
import { MemorySignalService } from '../../src/testing/memory-signal-service.ts';
import { testSignalService } from '../../src/testing/test-signal-service.ts';
import { failedQuestions } from './failed-questions.ts';

type Send = Parameters<MemorySignalService['sendSignal']>;
type List = Parameters<MemorySignalService['listSignals']>;
type Listen = Parameters<MemorySignalService['listenSignal']>;

const suite = (service: new () => MemorySignalService, timeoutMs?: number) =>
  testSignalService({
    async create() {
      const created = new service();
      // Nothing to break within one process; given all the same, so that the question itself is tried.
      return { service: created, close: () => created.close(), disconnect: async () => {} };
    },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });

describe('the memory signal service', () => {
  for (const { name, run } of suite(MemorySignalService)) test(name, run);

  test('a watcher that fails for long is not asked without a pause', async () => {
    const service = new MemorySignalService();
    let asked = 0;
    const process = () => {
      asked++;
      throw new Error('Never.');
    };
    await service.listenSignal('l', 'k', { process });
    await service.sendSignal('k', 1);
    for (let turn = 0; turn < 1_000; turn++) await Promise.resolve();
    expect(asked).toBe(1);
    await service.close();
  });
});

describe('the signal service suite finds', () => {
  const defects: Record<string, [service: new () => MemorySignalService, question: string]> = {
    'a dedupe key that is ignored': [
      class extends MemorySignalService {
        override sendSignal(...[key, value, { dedupeKey: _, ...options } = {}]: Send) {
          return super.sendSignal(key, value, options);
        }
      },
      'the same dedupe key answers the first version again and adds nothing',
    ],
    'a check for duplicates that is not atomic': [
      class extends MemorySignalService {
        readonly #sent = new Map<string, SignalVersion>();
        override async sendSignal(...[key, value, { dedupeKey, ...options } = {}]: Send) {
          const first = this.#sent.get(`${options.namespace}/${dedupeKey}`);
          await Promise.resolve();
          if (dedupeKey !== undefined && first) return first;
          const sent = { ...(await super.sendSignal(key, value, options)), ...(dedupeKey ? { dedupeKey } : {}) };
          this.#sent.set(`${options.namespace}/${dedupeKey}`, sent);
          return sent;
        }
      },
      'of many at once with the same dedupe key one is kept',
    ],
    'namespaces that share their signals': [
      class extends MemorySignalService {
        override async sendSignal(...[key, value, { namespace = 'default', ...options } = {}]: Send) {
          return { ...(await super.sendSignal(key, value, options)), namespace };
        }
      },
      'namespaces have their own versions and dedupe keys',
    ],
    'offsets that rise for each key only': [
      class extends MemorySignalService {
        override async sendSignal(...args: Send) {
          const sent = await super.sendSignal(...args);
          return { ...sent, offset: String(sent.version) };
        }
      },
      'versions of a key start at 1 and rise by one, offsets rise over all keys',
    ],
    'a list with the newest first': [
      class extends MemorySignalService {
        override async listSignals(...args: List) {
          return (await super.listSignals(...args)).toReversed();
        }
      },
      'listing finds by version, since a version, by scope and up to a limit, oldest first',
    ],
    'a value that lost its kind': [
      class extends MemorySignalService {
        override sendSignal(...[key, value, options]: Send) {
          return super.sendSignal(key, value || null, options);
        }
      },
      'values of every JSON kind survive',
    ],
    'a batch lost after a rejection': [
      watching((watcher) => async (batch) => {
        await Promise.resolve(watcher.process(batch)).catch(() => {});
      }),
      'a rejection delivers the same batch again',
    ],
    'a place that moves before the batch was processed': [
      watching((watcher) => (batch) => void Promise.resolve(watcher.process(batch)).catch(() => {})),
      'a batch that was never processed comes to the next listener of the name',
    ],
    'a batch beside the one under way': [
      watching((watcher) => (batch) => void Promise.resolve(watcher.process(batch)).catch(() => {})),
      'the next batch comes only after the last was processed',
    ],
    'a batch delivered twice': [
      watching((watcher) => async (batch) => {
        await watcher.process(batch);
        await watcher.process(batch);
      }),
      'a listener gets every signal once, in order for each key, also from many senders at once',
    ],
    'batches in the wrong order': [
      watching((watcher) => (batch) => watcher.process(batch.toReversed())),
      'a rejection delivers the same batch again',
    ],
    'a listener with only the first of its keys': [
      class extends MemorySignalService {
        override listenSignal(...[name, keys, ...rest]: Listen) {
          return super.listenSignal(name, typeof keys === 'string' ? keys : keys[0]!, ...rest);
        }
      },
      'a listener sees only its keys and its namespace',
    ],
    'a listener of another namespace': [
      class extends MemorySignalService {
        override listenSignal(...[name, keys, watcher, { namespace: _, ...options } = {}]: Listen) {
          return super.listenSignal(name, keys, watcher, options);
        }
      },
      'a listener sees only its keys and its namespace',
    ],
    'a listener that forgets its place': [
      class extends MemorySignalService {
        #count = 0;
        override listenSignal(...[name, ...rest]: Listen) {
          return super.listenSignal(`${name} ${this.#count++}`, ...rest);
        }
      },
      'listening again under the same name goes on after what was processed',
    ],
    'a place that is kept only after the first batch': [
      class extends MemorySignalService {
        readonly #known = new Set<string>();
        #count = 0;
        override listenSignal(...[name, keys, { process }, options]: Listen) {
          const known = this.#known;
          const own = known.has(name) ? name : `${name} ${this.#count++}`;
          const remember: SignalWatcher['process'] = (batch) => {
            known.add(name);
            return process(batch);
          };
          return super.listenSignal(own, keys, { process: remember }, options);
        }
      },
      'a listener that closed before its first signal misses nothing',
    ],
    'an offset that is ignored': [
      class extends MemorySignalService {
        override listenSignal(...[name, keys, watcher, { sinceOffset: _, ...options } = {}]: Listen) {
          return super.listenSignal(name, keys, watcher, options);
        }
      },
      'sinceOffset replays what came after it',
    ],
    'a new name that begins at the very beginning': [
      class extends MemorySignalService {
        override listenSignal(...[name, keys, watcher, options]: Listen) {
          return super.listenSignal(name, keys, watcher, { sinceOffset: '0', ...options });
        }
      },
      'a new listener name begins with the next signal',
    ],
    'a listener that does not close': [
      class extends MemorySignalService {
        override async listenSignal(...args: Listen) {
          await super.listenSignal(...args);
          return { close: async () => {} };
        }
      },
      'close waits for the batch under way, and nothing comes after it',
    ],
    'an abort that is ignored': [
      class extends MemorySignalService {
        override async listenSignal(...[name, keys, watcher, { signal: _, ...options } = {}]: Listen) {
          return super.listenSignal(name, keys, watcher, options);
        }
      },
      'aborting closes a listener, also before it began',
    ],
  };

  for (const [defect, [service, question]] of Object.entries(defects))
    test(defect, async () => expect(await failedQuestions(suite(service, 200))).toContain(question));

  test('signals lost while a connection was broken', async () => {
    const create = async () => {
      let isBroken = false;
      const service = new (watching((watcher) => (batch) => (isBroken ? undefined : watcher.process(batch))))();
      const disconnect = async () => {
        isBroken = true;
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
        isBroken = false;
      };
      return { service, disconnect, close: () => service.close() };
    };
    const failed = await failedQuestions(testSignalService({ create, timeoutMs: 200 }));
    expect(failed).toEqual(['a broken connection loses nothing']);
  });
});

/** A service that passes batches on through something broken. */
function watching(broken: (watcher: SignalWatcher) => SignalWatcher['process']): new () => MemorySignalService {
  return class extends MemorySignalService {
    override listenSignal(...[name, keys, watcher, options]: Listen) {
      return super.listenSignal(name, keys, { process: broken(watcher) }, options);
    }
  };
}
