import type { Json } from '../json.ts';
import type { SendSignalOptions, SignalScope, SignalVersion } from './signal.ts';

/**
 * The transport of signals. A service never decides: versions and offsets come from the platform's log, and rules read
 * only that log. Chosen in `windhover.config.ts` by alias or classpath.
 */
export interface SignalService {
  /** Before anything else. Default: nothing, for services that need no host. */
  start?(host: SignalHost): Promise<void>;
  /**
   * Resolves once the platform's log has it. The same dedupe key in the same namespace answers the first version again,
   * whatever its key and value. `sender` is for people; default: an empty text.
   */
  sendSignal(
    key: string,
    value: Json,
    options?: SendSignalOptions & { readonly sender?: string },
  ): Promise<SignalVersion>;
  /** Versions of a key, oldest first. A scope finds the signals whose scope has all the fields given. */
  listSignals(key: string, options?: ListSignalsOptions): Promise<readonly SignalVersion[]>;
  /**
   * Tells `watcher` of each signal at least once, and once where nothing breaks, in order, in batches; the next batch
   * follows when the last one was processed. A listener's name keeps its place in a namespace from the first call on:
   * listening again under the same name goes on where it had got to. One live listener for a name; a second one takes
   * over.
   */
  listenSignal(
    listenerName: string,
    keys: string | readonly string[],
    watcher: SignalWatcher,
    options?: ListenSignalOptions,
  ): Promise<SignalListener>;
  /** When the platform stops. Default: nothing. */
  close?(): Promise<void>;
}

/** What the platform offers to a service: its log. */
export interface SignalHost {
  /** Puts a signal into the log, once for each dedupe key, and answers the version it got. */
  ingest(key: string, value: Json, options?: SendSignalOptions & { readonly sender?: string }): Promise<SignalVersion>;
  /** Signals after an offset, oldest first; waits up to `waitMs` for the first one. */
  read(request: {
    readonly keys: readonly string[];
    readonly namespace: string;
    readonly sinceOffset: string;
    readonly waitMs: number;
  }): Promise<{ readonly signals: readonly SignalVersion[]; readonly offset: string }>;
}

export interface SignalWatcher {
  /** A rejection delivers the same batch again, a little later. */
  process(signals: readonly SignalVersion[]): void | Promise<void>;
}

export interface SignalListener {
  /** Resolves after the batch under way; so do not await it inside `process`. */
  close(): Promise<void>;
}

export interface ListSignalsOptions {
  /** Default: `default`. */
  readonly namespace?: string;
  /** Exactly this version. Default: all. */
  readonly version?: number;
  /** Only later versions. Default: all. */
  readonly sinceVersion?: number;
  /** Default: any. */
  readonly scope?: SignalScope;
  /** Default: 1,000. */
  readonly limit?: number;
}

export interface ListenSignalOptions {
  /** Default: `default`. */
  readonly namespace?: string;
  /** Where a name that has never listened begins: after this offset. Default: with the next signal. */
  readonly sinceOffset?: string;
  /** Aborting closes the listener. Default: never. */
  readonly signal?: AbortSignal;
}
