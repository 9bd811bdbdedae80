import type { Json } from '../json.ts';
import { DEFAULT_NAMESPACE, type SendSignalOptions, type SignalScope, type SignalVersion } from '../signal/signal.ts';
import type {
  ListenSignalOptions,
  ListSignalsOptions,
  SignalListener,
  SignalService,
  SignalWatcher,
} from '../signal/signal-service.ts';

const LIST_LIMIT = 1_000;
const BATCH_LIMIT = 1_000;
const MAX_RETRY_DELAY_MS = 1_000;

/** Signals within one process, gone with it. Listeners are pushed to; nothing polls. */
export class MemorySignalService implements SignalService {
  /** The signal at index i has offset i + 1, so a listener's place is both an offset and an index. */
  readonly #log: SignalVersion[] = [];
  readonly #byKey = new Map<string, SignalVersion[]>();
  readonly #byDedupeKey = new Map<string, SignalVersion>();
  /** How far each listener's name has got. */
  readonly #places = new Map<string, number>();
  readonly #listeners = new Set<MemoryListener>();

  async sendSignal(
    key: string,
    value: Json,
    options: SendSignalOptions & { readonly sender?: string } = {},
  ): Promise<SignalVersion> {
    const { namespace = DEFAULT_NAMESPACE, scope = {}, dedupeKey, sender = '' } = options;
    const first = dedupeKey === undefined ? undefined : this.#byDedupeKey.get(name(namespace, dedupeKey));
    if (first) return first;
    const versions = this.#byKey.get(name(namespace, key)) ?? [];
    this.#byKey.set(name(namespace, key), versions);
    const signal: SignalVersion = {
      key,
      // A copy: the sender may go on changing its object.
      value: structuredClone(value),
      version: versions.length + 1,
      offset: String(this.#log.length + 1),
      namespace,
      sender,
      scope: { ...scope },
      sentAt: new Date().toISOString(),
      ...(dedupeKey === undefined ? {} : { dedupeKey }),
    };
    this.#log.push(signal);
    versions.push(signal);
    if (dedupeKey !== undefined) this.#byDedupeKey.set(name(namespace, dedupeKey), signal);
    for (const listener of this.#listeners) listener.wake();
    return signal;
  }

  async listSignals(key: string, options: ListSignalsOptions = {}): Promise<readonly SignalVersion[]> {
    const { namespace = DEFAULT_NAMESPACE, version, sinceVersion = 0, scope = {}, limit = LIST_LIMIT } = options;
    return (this.#byKey.get(name(namespace, key)) ?? [])
      .filter((each) => version === undefined || each.version === version)
      .filter((each) => each.version > sinceVersion && isWithin(each.scope, scope))
      .slice(0, limit);
  }

  async listenSignal(
    listenerName: string,
    keys: string | readonly string[],
    watcher: SignalWatcher,
    options: ListenSignalOptions = {},
  ): Promise<SignalListener> {
    const { namespace = DEFAULT_NAMESPACE, sinceOffset, signal } = options;
    const placeName = name(namespace, listenerName);
    const wanted = new Set(typeof keys === 'string' ? [keys] : keys);
    const begin = sinceOffset === undefined ? this.#log.length : Number(BigInt(sinceOffset));
    // Kept from the first moment, so that a listener that closes before its first signal misses none.
    if (!this.#places.has(placeName)) this.#places.set(placeName, begin);
    const listener = new MemoryListener({
      watcher,
      place: this.#places.get(placeName)!,
      log: this.#log,
      isWanted: (each) => each.namespace === namespace && wanted.has(each.key),
      onPlace: (place) => this.#places.set(placeName, place),
      onClose: () => this.#listeners.delete(listener),
    });
    this.#listeners.add(listener);
    if (signal?.aborted) await listener.close();
    signal?.addEventListener('abort', () => void listener.close(), { once: true });
    listener.wake();
    return listener;
  }

  /** Closes all listeners. */
  async close(): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener.close()));
  }
}

interface MemoryListenerOptions {
  readonly watcher: SignalWatcher;
  readonly place: number;
  readonly log: readonly SignalVersion[];
  isWanted(signal: SignalVersion): boolean;
  onPlace(place: number): void;
  onClose(): void;
}

class MemoryListener implements SignalListener {
  readonly #options: MemoryListenerOptions;
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;
  #place: number;
  #delivery: Promise<void> | undefined;

  constructor(options: MemoryListenerOptions) {
    this.#options = options;
    this.#place = options.place;
  }

  wake(): void {
    if (!this.#isClosed) this.#delivery ??= this.#deliver();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closed.resolve();
    this.#options.onClose();
    await this.#delivery;
  }

  async #deliver(): Promise<void> {
    // A turn later, so that a watcher runs outside of `sendSignal`, and signals sent together come together.
    await Promise.resolve();
    let failures = 0;
    while (!this.#isClosed && this.#place < this.#options.log.length) {
      const { batch, end } = this.#next();
      try {
        if (batch.length > 0) await this.#options.watcher.process(batch);
        failures = 0;
        this.#place = end;
        this.#options.onPlace(end);
      } catch {
        await this.#pause(failures++);
      }
    }
    // In the same turn as the loop's last look: a signal that comes now finds no delivery and begins one.
    this.#delivery = undefined;
  }

  #next(): { batch: readonly SignalVersion[]; end: number } {
    const { log, isWanted } = this.#options;
    const batch: SignalVersion[] = [];
    let end = this.#place;
    for (; end < log.length && batch.length < BATCH_LIMIT; end++) if (isWanted(log[end]!)) batch.push(log[end]!);
    return { batch, end };
  }

  /** A watcher that always rejects must not keep the process busy. */
  async #pause(failures: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(MAX_RETRY_DELAY_MS, 2 ** failures));
    });
    await Promise.race([passed, this.#closed.promise]);
    clearTimeout(timer);
  }
}

function name(namespace: string, own: string): string {
  return JSON.stringify([namespace, own]);
}

/** What is not asked for does not matter: `{ dagId }` finds the signals of all its runs. */
function isWithin(scope: SignalScope, wanted: SignalScope): boolean {
  return (
    (wanted.dagId === undefined || wanted.dagId === scope.dagId) &&
    (wanted.runId === undefined || wanted.runId === scope.runId)
  );
}
