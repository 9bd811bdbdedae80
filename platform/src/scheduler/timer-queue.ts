import TinyQueue from 'tinyqueue';

/** Instants by name; the earliest is known at once. Changing one leaves its old entry in the heap until it comes up. */
export class TimerQueue<Name> {
  readonly #instants = new Map<Name, number>();
  readonly #heap = new TinyQueue<{ name: Name; at: number }>([], (a, b) => a.at - b.at);

  set(name: Name, at: number): void {
    if (this.#instants.get(name) === at) return;
    this.#instants.set(name, at);
    this.#heap.push({ name, at });
  }

  delete(name: Name): void {
    this.#instants.delete(name);
  }

  /** Infinity where there is none. */
  get nextAt(): number {
    this.#forgetStale();
    return this.#heap.peek()?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Those that are due; they are gone afterwards. */
  takeDue(now: number): Name[] {
    const due: Name[] = [];
    while (this.nextAt <= now) {
      const { name } = this.#heap.pop()!;
      this.#instants.delete(name);
      due.push(name);
    }
    return due;
  }

  #forgetStale(): void {
    for (let top = this.#heap.peek(); top && this.#instants.get(top.name) !== top.at; top = this.#heap.peek())
      this.#heap.pop();
  }
}
