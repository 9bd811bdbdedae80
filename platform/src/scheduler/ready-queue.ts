import TinyQueue from 'tinyqueue';
import type { OwnedRun } from './owned-run.ts';

export interface ReadyTask {
  readonly run: OwnedRun;
  readonly taskId: string;
  readonly epoch: number;
  readonly weight: number;
  readonly isResumed: boolean;
  readonly id: number;
}

/**
 * Tasks of all runs that wait for a slot, the most urgent first; resumed ones before new ones of equal weight. Those for
 * whom a pool or a limit was full stand aside until a place there becomes free: asking for all of them again after each
 * finished task would cost as much as there are.
 */
export class ReadyQueue {
  readonly #heap = new TinyQueue<ReadyTask>([], compare);
  /** By pool and DAG. */
  readonly #aside = new Map<string, { pool: string; dagId: string; heap: TinyQueue<ReadyTask> }>();

  push(task: ReadyTask): void {
    this.#heap.push(task);
  }

  /** The most urgent that are still ready. */
  take(count: number): ReadyTask[] {
    const taken: ReadyTask[] = [];
    while (taken.length < count) {
      const task = this.#heap.pop();
      if (!task) break;
      if (isStillReady(task)) taken.push(task);
    }
    return taken;
  }

  /** No place for this one. */
  setAside(task: ReadyTask, pool: string): void {
    const name = JSON.stringify([pool, task.run.dagId]);
    const entry = this.#aside.get(name) ?? { pool, dagId: task.run.dagId, heap: new TinyQueue<ReadyTask>([], compare) };
    entry.heap.push(task);
    this.#aside.set(name, entry);
  }

  /** Places have become free, of a pool or of a DAG's limit: as many may try again. Default: anywhere. */
  release(count: number, where?: { readonly pool: string; readonly dagId: string }): void {
    for (const [name, { pool, dagId, heap }] of this.#aside) {
      if (where && where.pool !== pool && where.dagId !== dagId) continue;
      for (let left = count; left > 0 && heap.length > 0; left--) this.#heap.push(heap.pop()!);
      if (heap.length === 0) this.#aside.delete(name);
    }
  }

  /** Whether there is anything to take. */
  get isEmpty(): boolean {
    return this.#heap.length === 0;
  }
}

function isStillReady({ run, taskId, epoch }: ReadyTask): boolean {
  return run.ready.has(taskId) && run.tasks.get(taskId)?.epoch === epoch;
}

function compare(a: ReadyTask, b: ReadyTask): number {
  return b.weight - a.weight || Number(b.isResumed) - Number(a.isResumed) || a.id - b.id;
}
