import { setMaxListeners } from 'node:events';
import type { ExitReason } from '@windhover/core';

/** Why a trigger ends in a process other than by its own code. */
export type StopReason = Exclude<ExitReason, 'fired' | 'failed'>;

/** Something under way that ends when its trigger stops. */
export interface Stoppable {
  stop(error: Error): void;
}

/**
 * An AbortController for one of many thousand waiting triggers: the real one, which costs half a kilobyte, is made only
 * when somebody asks for its signal.
 */
export class StopSignal {
  #controller: AbortController | undefined;
  #open: Stoppable[] | undefined;
  #error: Error | undefined;

  get error(): Error | undefined {
    return this.#error;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      // Each client of the trigger may listen to it.
      setMaxListeners(0, this.#controller.signal);
      if (this.#error) this.#controller.abort(this.#error);
    }
    return this.#controller.signal;
  }

  add(open: Stoppable): void {
    if (this.#error) open.stop(this.#error);
    else if (this.#open) this.#open.push(open);
    else this.#open = [open];
  }

  remove(open: Stoppable): void {
    const index = this.#open?.indexOf(open) ?? -1;
    if (index >= 0) this.#open!.splice(index, 1);
  }

  /** The work's own end, or a rejection when the trigger stops before it. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const open = { stop: reject };
      this.add(open);
      work.then(
        (value) => {
          this.remove(open);
          resolve(value);
        },
        (error) => {
          this.remove(open);
          reject(error);
        },
      );
    });
  }

  stop(error: Error): void {
    if (this.#error) return;
    this.#error = error;
    const open = this.#open ?? [];
    this.#open = undefined;
    for (const each of open) each.stop(error);
    this.#controller?.abort(error);
  }
}
