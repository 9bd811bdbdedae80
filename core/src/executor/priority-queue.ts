/** Highest priority first; first come, first served among equals. O(log n) to push and pop. */
export class PriorityQueue<T> {
  readonly #heap: { item: T; priority: number; order: number }[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  push(item: T, priority: number): void {
    const heap = this.#heap;
    let index = heap.push({ item, priority, order: this.#order++ }) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) break;
      this.#swap(index, parent);
      index = parent;
    }
  }

  pop(): T | undefined {
    const heap = this.#heap;
    if (heap.length === 0) return undefined;
    this.#swap(0, heap.length - 1);
    const { item } = heap.pop()!;
    for (let index = 0; ; ) {
      let first = index;
      for (const child of [2 * index + 1, 2 * index + 2])
        if (child < heap.length && this.#isBefore(child, first)) first = child;
      if (first === index) return item;
      this.#swap(index, first);
      index = first;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [left, right] = [this.#heap[a]!, this.#heap[b]!];
    return left.priority === right.priority ? left.order < right.order : left.priority > right.priority;
  }

  #swap(a: number, b: number): void {
    [this.#heap[a], this.#heap[b]] = [this.#heap[b]!, this.#heap[a]!];
  }
}
