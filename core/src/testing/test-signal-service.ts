import type { SignalVersion } from '../signal/signal.ts';
import type { ListSignalsOptions } from '../signal/signal-service.ts';
import { type ConformanceTest, check, checkEqual } from './conformance-test.ts';
import { JSON_KINDS } from './json-kinds.ts';
import { SignalScene, type SignalServiceSetup } from './signal-scene.ts';

export interface SignalServiceSuite {
  /** A service without signals. Called once for each question. */
  create(): Promise<SignalServiceSetup>;
  /** How long to wait for what must happen. Default: 4,000. */
  readonly timeoutMs?: number;
}

/**
 * What every signal service answers for.
 *
 * ```ts
 * for (const { name, run } of testSignalService({ create })) test(name, run);
 * ```
 */
export function testSignalService(options: SignalServiceSuite): readonly ConformanceTest[] {
  return Object.entries(QUESTIONS).map(([name, ask]) => ({
    name,
    async run() {
      const setup = await options.create();
      const scene = new SignalScene(setup, options.timeoutMs);
      try {
        await ask(scene);
      } finally {
        await scene.close();
        await setup.close();
      }
    },
  }));
}

const QUESTIONS: Readonly<Record<string, (scene: SignalScene) => Promise<void>>> = {
  async 'versions of a key start at 1 and rise by one, offsets rise over all keys'({ service }) {
    const sent = [];
    for (const key of ['a', 'b', 'a', 'a', 'b']) sent.push(await service.sendSignal(key, key));
    checkEqual(versions(sent), ['a1', 'b1', 'a2', 'a3', 'b2'], 'versions');
    checkRising(sent);
  },

  async 'a signal carries what it was sent with'({ service }) {
    const scope = { dagId: 'd', runId: 'r' };
    const sent = await service.sendSignal('k', { v: 1 }, { namespace: 'n', scope, dedupeKey: 'x', sender: 'me' });
    const { key, value, namespace, sender, dedupeKey } = sent;
    checkEqual(
      { key, value, namespace, sender, dedupeKey, scope: sent.scope },
      { key: 'k', value: { v: 1 }, namespace: 'n', sender: 'me', dedupeKey: 'x', scope },
      'the signal',
    );
    check(!Number.isNaN(Date.parse(sent.sentAt)), `sentAt is no instant: ${sent.sentAt}`);
    checkEqual(await service.listSignals('k', { namespace: 'n' }), [sent], 'the listed signal');
    checkEqual((await service.sendSignal('k', 1)).namespace, 'default', 'the namespace where none is given');
  },

  async 'the same dedupe key answers the first version again and adds nothing'({ service }) {
    const first = await service.sendSignal('k', 'first', { dedupeKey: 'x' });
    checkEqual(await service.sendSignal('k', 'second', { dedupeKey: 'x' }), first, 'the second answer');
    const other = await service.sendSignal('k', 'other', { dedupeKey: 'y' });
    checkEqual(other.version, 2, 'the version of another dedupe key');
    checkEqual(await service.listSignals('k'), [first, other], 'the log');
  },

  async 'of many at once with the same dedupe key one is kept'({ service }) {
    const send = () => service.sendSignal('k', 1, { dedupeKey: 'x' });
    const sent = await Promise.all(Array.from({ length: 10 }, send));
    checkEqual(
      versions(sent),
      sent.map(() => 'k1'),
      'the answers',
    );
    checkEqual(versions(await service.listSignals('k')), ['k1'], 'the log');
  },

  async 'namespaces have their own versions and dedupe keys'({ service }) {
    for (const namespace of ['one', 'two']) {
      const sent = await service.sendSignal('k', namespace, { namespace, dedupeKey: 'x' });
      checkEqual([sent.version, sent.value], [1, namespace], `the signal in namespace ${namespace}`);
      checkEqual(await service.listSignals('k', { namespace }), [sent], `the log of namespace ${namespace}`);
    }
    checkEqual(await service.listSignals('k'), [], 'the log of the default namespace');
  },

  async 'listing finds by version, since a version, by scope and up to a limit, oldest first'({ service }) {
    for (const dagId of ['one', 'two', 'one', 'two', 'one']) await service.sendSignal('k', dagId, { scope: { dagId } });
    await service.sendSignal('other', 1);
    const list = async (options?: ListSignalsOptions) =>
      (await service.listSignals('k', options)).map(({ version }) => version);
    checkEqual(await list(), [1, 2, 3, 4, 5], 'all');
    checkEqual(await list({ version: 2 }), [2], 'version 2');
    checkEqual(await list({ version: 9 }), [], 'a version that does not exist');
    checkEqual(await list({ sinceVersion: 3 }), [4, 5], 'since version 3');
    checkEqual(await list({ scope: { dagId: 'two' } }), [2, 4], 'scope');
    checkEqual(await list({ limit: 2 }), [1, 2], 'limit');
    checkEqual(await list({ sinceVersion: 1, scope: { dagId: 'one' }, limit: 1 }), [3], 'all together');
    checkEqual(await service.listSignals('unknown'), [], 'an unknown key');
  },

  async 'values of every JSON kind survive'(scene) {
    const listener = await scene.listen('l', 'k');
    for (const value of JSON_KINDS) {
      const sent = await scene.service.sendSignal('k', value);
      checkEqual(sent.value, value, 'the value in the answer');
    }
    await listener.has(JSON_KINDS.length);
    checkEqual(
      (await scene.service.listSignals('k')).map(({ value }) => value),
      JSON_KINDS,
      'the listed values',
    );
    checkEqual(
      listener.signals.map(({ value }) => value),
      JSON_KINDS,
      'the delivered values',
    );
  },

  async 'keys and names with odd characters are kept apart'(scene) {
    const odd = ['a/b', 'a.b', 'a%2Fb', "it's", 'a b', 'ü🦅', 'A.B', '*'];
    const listeners = [];
    for (const key of odd) listeners.push(await scene.listen(`listener ${key}`, key));
    for (const key of odd) await scene.service.sendSignal(key, key);
    for (const [index, listener] of listeners.entries()) {
      await listener.has(1);
      checkEqual(versions(listener.signals), [`${odd[index]}1`], `what the listener of ${odd[index]} got`);
    }
  },

  async 'a listener gets every signal once, in order for each key, also from many senders at once'(scene) {
    const keys = ['a', 'b', 'c'];
    const listeners = [await scene.listen('one', keys), await scene.listen('two', keys)];
    const sender = async (_: unknown, number: number) => {
      for (let i = 0; i < 20; i++) await scene.service.sendSignal(keys[(number + i) % 3]!, { number, i });
    };
    await Promise.all(Array.from({ length: 10 }, sender));
    for (const listener of listeners) {
      await listener.has(200);
      for (const key of keys) {
        const got = listener.signals.filter((signal) => signal.key === key);
        checkEqual(got, await scene.service.listSignals(key), `what the listener got of key ${key}`);
        checkEqual(
          got.map(({ version }) => version),
          got.map((_, index) => index + 1),
          `versions of key ${key}`,
        );
        checkRising(got);
      }
    }
  },

  async 'a listener sees only its keys and its namespace'(scene) {
    const listener = await scene.listen('l', ['a', 'b'], { namespace: 'n' });
    const witness = await scene.listen('w', 'a');
    await scene.service.sendSignal('a', 'other namespace');
    await scene.service.sendSignal('c', 'other key', { namespace: 'n' });
    for (const key of ['a', 'b']) await scene.service.sendSignal(key, 1, { namespace: 'n' });
    await witness.has(1);
    await listener.has(2);
    checkEqual(listener.signals.map(({ key, namespace }) => `${namespace}/${key}`).sort(), ['n/a', 'n/b'], 'signals');
  },

  async 'sinceOffset replays what came after it'(scene) {
    const sent = [];
    for (let i = 0; i < 4; i++) sent.push(await scene.service.sendSignal('k', i));
    const listener = await scene.listen('l', 'k', { sinceOffset: sent[1]!.offset });
    await scene.service.sendSignal('k', 4);
    await listener.has(3);
    checkEqual(versions(listener.signals), ['k3', 'k4', 'k5'], 'the replayed signals');
  },

  async 'a new listener name begins with the next signal'(scene) {
    await scene.service.sendSignal('k', 'before');
    const listener = await scene.listen('l', 'k');
    await scene.service.sendSignal('k', 'after');
    await listener.has(1);
    checkEqual(versions(listener.signals), ['k2'], 'signals');
  },

  async 'listening again under the same name goes on after what was processed'(scene) {
    const before = await scene.service.sendSignal('k', 'before');
    const first = await scene.listen('l', 'k');
    for (const value of [2, 3]) await scene.service.sendSignal('k', value);
    await first.has(2);
    await first.close();
    for (const value of [4, 5]) await scene.service.sendSignal('k', value);
    // Only a name that has never listened begins at an offset.
    const second = await scene.listen('l', 'k', { sinceOffset: before.offset });
    await scene.service.sendSignal('k', 6);
    await second.has(3);
    checkEqual(versions(second.signals), ['k4', 'k5', 'k6'], 'signals of the second listener');
  },

  async 'a listener that closed before its first signal misses nothing'(scene) {
    await (await scene.listen('l', 'k')).close();
    await scene.service.sendSignal('k', 1);
    const again = await scene.listen('l', 'k');
    await again.has(1);
  },

  async 'a rejection delivers the same batch again'(scene) {
    const marker = await scene.service.sendSignal('k', 'marker');
    for (const value of [2, 3, 4]) await scene.service.sendSignal('k', value);
    const offered: (readonly SignalVersion[])[] = [];
    const refuseTwice = (batch: readonly SignalVersion[]) => {
      if (offered.push(batch) < 3) throw new Error('Not now.');
    };
    const listener = await scene.listen('l', 'k', { sinceOffset: marker.offset, before: refuseTwice });
    await listener.has(3);
    checkEqual(versions(listener.signals), ['k2', 'k3', 'k4'], 'what was processed in the end');
    for (const again of [1, 2]) checkEqual(offered[again], offered[0], 'the batch after a rejection');
  },

  async 'a batch that was never processed comes to the next listener of the name'(scene) {
    let refusals = 0;
    const refuse = () => {
      refusals++;
      throw new Error('Never.');
    };
    const first = await scene.listen('l', 'k', { before: refuse });
    await scene.service.sendSignal('k', 1);
    await scene.until(() => refusals > 0, 'the first listener was offered the signal');
    await first.close();
    const second = await scene.listen('l', 'k');
    await second.has(1);
  },

  async 'the next batch comes only after the last was processed'(scene) {
    const gate = scene.gate();
    const listener = await scene.listen('l', 'k', { before: gate.pass });
    const witness = await scene.listen('w', 'k');
    await scene.service.sendSignal('k', 1);
    await scene.until(() => gate.reached() === 1, 'the first batch has come');
    for (const value of [2, 3]) await scene.service.sendSignal('k', value);
    await witness.has(3);
    checkEqual(gate.reached(), 1, 'batches while the first one is being processed');
    gate.open();
    await listener.has(3);
    checkEqual(versions(listener.signals), ['k1', 'k2', 'k3'], 'signals');
  },

  async 'close waits for the batch under way, and nothing comes after it'(scene) {
    const gate = scene.gate();
    const listener = await scene.listen('l', 'k', { before: gate.pass });
    const witness = await scene.listen('w', 'k');
    await scene.service.sendSignal('k', 1);
    await scene.until(() => gate.reached() === 1, 'the first batch has come');
    let isClosed = false;
    const closing = listener.close().then(() => (isClosed = true));
    await scene.service.sendSignal('k', 2);
    await witness.has(2);
    check(!isClosed, 'close() resolved while a batch was being processed');
    gate.open();
    await closing;
    checkEqual(versions(listener.signals), ['k1'], 'signals when close() has resolved');
    await scene.service.sendSignal('k', 3);
    await witness.has(3);
    checkEqual(versions(listener.signals), ['k1'], 'signals after close()');
    await listener.close();
  },

  async 'aborting closes a listener, also before it began'(scene) {
    const controller = new AbortController();
    const listener = await scene.listen('l', 'k', { signal: controller.signal });
    const witness = await scene.listen('w', 'k');
    await scene.service.sendSignal('k', 1);
    await listener.has(1);
    controller.abort();
    await listener.close();
    const late = await scene.listen('late', 'k', { signal: controller.signal });
    await scene.service.sendSignal('k', 2);
    await witness.has(2);
    checkEqual(versions(listener.signals), ['k1'], 'signals after the abort');
    checkEqual(late.signals, [], 'signals of a listener that was aborted before it began');
    const again = await scene.listen('l', 'k');
    await again.has(1);
    checkEqual(versions(again.signals), ['k2'], 'signals of the next listener of the name');
  },

  async 'a broken connection loses nothing'(scene) {
    const { service, disconnect } = scene;
    if (!disconnect) return;
    const listener = await scene.listen('l', ['a', 'b']);
    const send = async (count: number) => {
      for (let i = 0; i < count; i++) await service.sendSignal(i % 2 === 0 ? 'a' : 'b', i);
    };
    await send(10);
    await Promise.all([disconnect(), send(10)]);
    await send(10);
    await disconnect();
    await send(10);
    // At least once: a batch whose receipt was lost may come again, but never out of order the first time.
    const firsts = () => listener.signals.filter((signal, index, all) => all.findIndex(isSame(signal)) === index);
    await scene.until(() => firsts().length === 40, 'all 40 signals have come in spite of two broken connections');
    for (const key of ['a', 'b']) checkRising(firsts().filter((signal) => signal.key === key));
  },
};

function versions(signals: readonly SignalVersion[]): readonly string[] {
  return signals.map(({ key, version }) => `${key}${version}`);
}

function checkRising(signals: readonly SignalVersion[]): void {
  for (const [index, { offset }] of signals.entries())
    if (index > 0) {
      const former = signals[index - 1]!.offset;
      check(BigInt(offset) > BigInt(former), `offset ${offset} follows offset ${former}, but is not greater`);
    }
}

function isSame(signal: SignalVersion) {
  return (other: SignalVersion) => other.key === signal.key && other.version === signal.version;
}
