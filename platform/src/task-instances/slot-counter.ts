import type { ActiveCount, PoolRow } from '../store/active-tasks.ts';

export interface SlotRequest {
  readonly dagId: string;
  readonly taskId: string;
  readonly pool: string;
  readonly poolSlots: number;
  /** Per DAG, over all runs. */
  readonly maxActiveTasks: number;
  /** Null: no limit. */
  readonly maxActivePerDag: number | null;
}

/** Counts what is taken while a batch is decided. Deferred tasks hold no pool slot unless the pool says so; limits count them. */
export class SlotCounter {
  readonly #pools = new Map<string, { free: number }>();
  readonly #dags = new Map<string, number>();
  readonly #tasks = new Map<string, number>();

  constructor(active: readonly ActiveCount[], pools: readonly PoolRow[]) {
    const byName = new Map(pools.map((pool) => [pool.name, pool]));
    for (const { name, slots } of pools) this.#pools.set(name, { free: slots < 0 ? Number.POSITIVE_INFINITY : slots });
    for (const { dagId, taskId, pool, isDeferred, slots, count } of active) {
      this.#add(dagId, taskId, count);
      const counts = !isDeferred || byName.get(pool)?.includeDeferred;
      const entry = this.#pools.get(pool);
      if (counts && entry) entry.free -= slots;
    }
  }

  /** Takes a place if there is one in the pool, the DAG and the task. */
  take({ dagId, taskId, pool, poolSlots, maxActiveTasks, maxActivePerDag }: SlotRequest): boolean {
    const entry = this.#pools.get(pool);
    if (!entry || entry.free < poolSlots) return false;
    if ((this.#dags.get(dagId) ?? 0) >= maxActiveTasks) return false;
    if (maxActivePerDag !== null && (this.#tasks.get(`${dagId}/${taskId}`) ?? 0) >= maxActivePerDag) return false;
    entry.free -= poolSlots;
    this.#add(dagId, taskId, 1);
    return true;
  }

  hasPool(name: string): boolean {
    return this.#pools.has(name);
  }

  #add(dagId: string, taskId: string, count: number): void {
    this.#dags.set(dagId, (this.#dags.get(dagId) ?? 0) + count);
    this.#tasks.set(`${dagId}/${taskId}`, (this.#tasks.get(`${dagId}/${taskId}`) ?? 0) + count);
  }
}
