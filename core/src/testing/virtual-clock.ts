import { type Duration, durationMs } from '../duration.ts';

interface Timer {
  readonly due: number;
  readonly order: number;
  /** Weak timers happen when time passes them, but do not make it pass. */
  readonly isWeak: boolean;
  fire(): void | Promise<void>;
}

/**
 * Time that passes only while everybody sleeps: a wait of eight hours takes microseconds. Whatever else a test waits
 * for, such as an answer of a real server, takes no virtual time at all.
 */
export class VirtualClock {
  #now: number;
  #order = 0;
  #isPumping = false;
  readonly #timers = new Set<Timer>();

  constructor(start: Date = new Date('2026-01-01T00:00:00.000Z')) {
    this.#now = start.getTime();
  }

  now(): Date {
    return new Date(this.#now);
  }

  /** Rejects with the signal's reason when it aborts. `Infinity` sleeps until then. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      // A turn later, so that a loop that ignores the signal still lets others run.
      if (signal?.aborted) return later(() => reject(signal.reason));
      const abort = () => {
        this.#timers.delete(timer);
        reject(signal!.reason);
      };
      const timer = this.#add(this.#now + Math.max(0, ms), false, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /**
   * Does something when time comes to an instant or a span from now: puts the awaited file there, say. It does not make
   * time pass by itself. Answers a function that calls it off.
   */
  at(when: Date | Duration, action: () => void | Promise<void>): () => void {
    const due = when instanceof Date ? when.getTime() : this.#now + durationMs(when);
    const timer = this.#add(due, true, action);
    return () => this.#timers.delete(timer);
  }

  #add(due: number, isWeak: boolean, fire: Timer['fire']): Timer {
    const timer = { due, isWeak, fire, order: this.#order++ };
    this.#timers.add(timer);
    if (!this.#isPumping && !isWeak) void this.#pump();
    return timer;
  }

  /** Turns to the next timer once everything that can go on without time has gone on. */
  async #pump(): Promise<void> {
    this.#isPumping = true;
    for (;;) {
      await nextTurn();
      const next = this.#next();
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      await next.fire();
    }
    this.#isPumping = false;
  }

  /** The earliest timer, if there is a sleeper that makes time go at least so far. */
  #next(): Timer | undefined {
    let earliest: Timer | undefined;
    let hasSleeper = false;
    for (const timer of this.#timers) {
      hasSleeper ||= !timer.isWeak;
      if (!earliest || timer.due < earliest.due || (timer.due === earliest.due && timer.order < earliest.order))
        earliest = timer;
    }
    return hasSleeper && earliest && earliest.due < Number.POSITIVE_INFINITY ? earliest : undefined;
  }
}

// Taken once, before a test runner can put a fake in its place. setTimeout is the slower stand-in elsewhere.
const { setImmediate: immediate } = globalThis as { setImmediate?: (callback: () => void) => void };
const later = immediate ?? ((callback: () => void) => setTimeout(callback, 0));

/** Resolves when all that can go on without time or outside answers has gone on one step. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => later(resolve));
}
