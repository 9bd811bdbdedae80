import type { StopSignal } from './stop-signal.ts';

interface SharedFetch {
  readonly startedAt: number;
  readonly value: Promise<unknown>;
  readonly controller: AbortController;
  isPending: boolean;
  /** How many triggers wait for it. */
  waiting: number;
}

/** `scope.shared`: equal requests of many triggers in a runner become one. */
export class SharedFetches {
  readonly #fetches = new Map<string, SharedFetch>();

  /** A fetch under way is joined; one that has ended answers until it is `ttlMs` old, counted from its beginning. */
  async get<T>(key: string, ttlMs: number, fetch: (signal: AbortSignal) => Promise<T>, stop: StopSignal): Promise<T> {
    const known = this.#fetches.get(key);
    const isFresh = known && (known.isPending || performance.now() - known.startedAt < ttlMs);
    const shared = isFresh ? known : this.#begin(key, ttlMs, fetch);
    shared.waiting += 1;
    try {
      return (await stop.race(shared.value)) as T;
    } finally {
      shared.waiting -= 1;
      // Only the last one may end it: the others still want it.
      if (shared.waiting === 0 && shared.isPending) {
        this.#forget(key, shared);
        shared.controller.abort(stop.error);
      }
    }
  }

  #begin(key: string, ttlMs: number, fetch: (signal: AbortSignal) => Promise<unknown>): SharedFetch {
    const controller = new AbortController();
    const value = (async () => fetch(controller.signal))();
    const shared: SharedFetch = { startedAt: performance.now(), value, controller, isPending: true, waiting: 0 };
    this.#fetches.set(key, shared);
    value.then(
      () => {
        shared.isPending = false;
        const leftMs = Math.max(0, ttlMs - (performance.now() - shared.startedAt));
        setTimeout(() => this.#forget(key, shared), Math.min(leftMs, MAX_KEPT_MS)).unref();
      },
      // A failure is not kept: the next one tries again.
      () => {
        shared.isPending = false;
        this.#forget(key, shared);
      },
    );
    return shared;
  }

  #forget(key: string, shared: SharedFetch): void {
    if (this.#fetches.get(key) === shared) this.#fetches.delete(key);
  }
}

/** The longest that `setTimeout` can. */
const MAX_KEPT_MS = 2 ** 31 - 1;
