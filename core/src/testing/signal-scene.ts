import type { SignalVersion } from '../signal/signal.ts';
import type { ListenSignalOptions, SignalService, SignalWatcher } from '../signal/signal-service.ts';
import { checkEqual } from './conformance-test.ts';
import { until } from './until.ts';

export interface SignalServiceSetup {
  readonly service: SignalService;
  close(): Promise<void>;
  /** Breaks listeners' connections. Default: there are none to break. */
  disconnect?(): Promise<void>;
}

/** What the questions of `testSignalService` share: a service, listeners that write down, and waiting. */
export class SignalScene {
  readonly service: SignalService;
  readonly disconnect: (() => Promise<void>) | undefined;
  readonly #timeoutMs: number | undefined;
  readonly #closers: (() => void | Promise<void>)[] = [];

  constructor(setup: SignalServiceSetup, timeoutMs: number | undefined) {
    this.service = setup.service;
    this.disconnect = setup.disconnect?.bind(setup);
    this.#timeoutMs = timeoutMs;
  }

  until(condition: () => boolean, what: string): Promise<void> {
    return until(condition, what, this.#timeoutMs);
  }

  /** A listener that writes down what it has processed. */
  async listen(
    listenerName: string,
    keys: string | readonly string[],
    { before, ...options }: ListenSignalOptions & { before?: SignalWatcher['process'] } = {},
  ) {
    const signals: SignalVersion[] = [];
    const process = async (batch: readonly SignalVersion[]) => {
      await before?.(batch);
      signals.push(...batch);
    };
    const listener = await this.service.listenSignal(listenerName, keys, { process }, options);
    this.#closers.push(() => listener.close());
    const has = async (count: number) => {
      await this.until(() => signals.length >= count, `listener "${listenerName}" has ${count} signals`);
      checkEqual(signals.length, count, `signals that listener "${listenerName}" got`);
    };
    return { signals, has, close: () => listener.close() };
  }

  /** Holds a watcher back; opened when the question is over at the latest, or closing would wait for ever. */
  gate() {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    let count = 0;
    const pass = () => {
      count++;
      return promise;
    };
    this.#closers.unshift(open);
    return { pass, open, reached: () => count };
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close();
  }
}
