import type { TaskHandOff } from '@windhover/core';
import type { Queryable } from '../store/database.ts';
import { getRequestedAction, getRequestedActions } from '../store/hand-offs.ts';
import type { Notifications } from '../store/notifications.ts';
import type { ChangeWriter } from '../task-instances/change-writer.ts';
import type { RequestedAction, TaskInstanceRow } from '../task-instances/task-instance-row.ts';

/**
 * Heartbeats that wait for something to be told. What this process commits wakes them at once; of what another one
 * commits the database tells, and then one look into the store serves all that wait.
 */
export class StopRequests {
  readonly #database: Queryable;
  readonly #waiting = new Map<number, Set<(row: Told) => void>>();

  constructor(database: Queryable, writer: ChangeWriter, notifications: Pick<Notifications, 'on'>) {
    this.#database = database;
    writer.onCommitted((rows) => {
      for (const { row } of rows) this.#tell(row);
    });
    notifications.on('windhover_stop', () => void this.#lookForAll());
  }

  /** What the task was asked to do, as soon as it is; `stale` once the hand-off is over; null after `waitMs`. */
  async next(handOff: TaskHandOff, waitMs: number, signal?: AbortSignal): Promise<Verdict> {
    // Before the look: what is committed in between must not be missed.
    const news = this.#listen(handOff, waitMs, signal);
    try {
      return (await getRequestedAction(this.#database, handOff)) ?? (await news.verdict);
    } finally {
      news.forget();
    }
  }

  #tell(row: Told): void {
    for (const tell of this.#waiting.get(row.id) ?? []) tell(row);
  }

  async #lookForAll(): Promise<void> {
    if (this.#waiting.size === 0) return;
    // Where it fails, the next heartbeat looks again.
    const rows = await getRequestedActions(this.#database, [...this.#waiting.keys()]).catch(() => []);
    for (const row of rows) this.#tell(row);
  }

  #listen(
    { taskInstanceId, epoch }: TaskHandOff,
    waitMs: number,
    signal?: AbortSignal,
  ): { readonly verdict: Promise<Verdict>; forget(): void } {
    const { promise: verdict, resolve } = Promise.withResolvers<Verdict>();
    const id = Number(taskInstanceId);
    const tell = (row: Told) => {
      if (row.epoch !== epoch) resolve('stale');
      else if (row.requestedAction !== null) resolve(row.requestedAction);
    };
    const giveUp = () => resolve(null);
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting.add(tell));
    const timer = setTimeout(giveUp, Math.min(waitMs, MAX_WAIT_MS));
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted) giveUp();
    const forget = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      waiting.delete(tell);
      if (waiting.size === 0) this.#waiting.delete(id);
    };
    return { verdict, forget };
  }
}

/** What stands between would cut a longer wait. */
const MAX_WAIT_MS = 60_000;

type Told = Pick<TaskInstanceRow, 'id' | 'epoch' | 'requestedAction'>;

type Verdict = RequestedAction | 'stale' | null;
