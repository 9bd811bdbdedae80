import { backoffMs } from '../dag-processor/backoff.ts';

/** When a runner that died is replaced: at once if it had worked for a while, later and later if it dies again and again. */
export class RunnerStarts {
  readonly #start: () => void;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(start: () => void) {
    this.#start = start;
  }

  again(livedForMs: number): void {
    this.#failures = livedForMs >= PROVEN_MS ? 0 : this.#failures + 1;
    clearTimeout(this.#timer);
    if (this.#failures <= 1) this.#start();
    else this.#timer = setTimeout(this.#start, backoffMs(this.#failures - 2));
  }

  /** Other code, other luck. */
  reset(): void {
    this.#failures = 0;
    clearTimeout(this.#timer);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** A runner that lived this long is not to blame for what it ran. */
export const PROVEN_MS = 60_000;
