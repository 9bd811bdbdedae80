import type { Stoppable, StopSignal } from './stop-signal.ts';

/**
 * All sleeps of a runner behind one timer: a heap ordered by the time to wake. A sleep costs one small object, where a
 * timer of Node's would also cost a list for each distinct duration. Any length is fine.
 */
export class SleepQueue {
  /** A binary heap. */
  readonly #heap: Sleep[] = [];
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  /** Rejects when `stop` does. */
  sleep(ms: number, stop: StopSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleep = new Sleep(performance.now() + Math.max(0, ms), this, stop, resolve, reject);
      this.#push(sleep);
      stop.add(sleep);
      this.#arm();
    });
  }

  remove(sleep: Sleep): void {
    const { index } = sleep;
    const last = this.#heap.pop()!;
    if (last !== sleep) {
      this.#place(last, index);
      this.#siftUp(index);
      this.#siftDown(last.index);
    }
    if (this.#heap.length > 0) return;
    // Nobody sleeps: nothing here keeps the process alive.
    clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #push(sleep: Sleep): void {
    this.#heap.push(sleep);
    this.#siftUp(this.#heap.length - 1);
  }

  #arm(): void {
    const wakeAt = this.#heap[0]?.wakeAt ?? Number.POSITIVE_INFINITY;
    if (wakeAt >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = wakeAt;
    const waitMs = Math.min(MAX_TIMEOUT_MS, Math.max(0, Math.ceil(wakeAt - performance.now())));
    this.#timer = setTimeout(() => this.#wake(), waitMs);
  }

  #wake(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (let first = this.#heap[0]; first && first.wakeAt <= now; first = this.#heap[0]) {
      this.remove(first);
      first.wake();
    }
    this.#arm();
  }

  #siftUp(from: number): void {
    const sleep = this.#heap[from]!;
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#heap[parent]!.wakeAt <= sleep.wakeAt) break;
      this.#place(this.#heap[parent]!, index);
      index = parent;
    }
    this.#place(sleep, index);
  }

  #siftDown(from: number): void {
    const sleep = this.#heap[from]!;
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      if (left >= this.#heap.length) break;
      const isRightFirst = right < this.#heap.length && this.#heap[right]!.wakeAt < this.#heap[left]!.wakeAt;
      const child = isRightFirst ? right : left;
      if (this.#heap[child]!.wakeAt >= sleep.wakeAt) break;
      this.#place(this.#heap[child]!, index);
      index = child;
    }
    this.#place(sleep, index);
  }

  #place(sleep: Sleep, index: number): void {
    this.#heap[index] = sleep;
    sleep.index = index;
  }
}

/** One object for everything that a sleep needs: no closures. */
class Sleep implements Stoppable {
  readonly wakeAt: number;
  /** Its place in the heap. */
  index = 0;
  readonly #queue: SleepQueue;
  readonly #stop: StopSignal;
  readonly #resolve: () => void;
  readonly #reject: (error: Error) => void;

  constructor(
    wakeAt: number,
    queue: SleepQueue,
    stop: StopSignal,
    resolve: () => void,
    reject: (error: Error) => void,
  ) {
    this.wakeAt = wakeAt;
    this.#queue = queue;
    this.#stop = stop;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  wake(): void {
    this.#stop.remove(this);
    this.#resolve();
  }

  stop(error: Error): void {
    this.#queue.remove(this);
    this.#reject(error);
  }
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1;
