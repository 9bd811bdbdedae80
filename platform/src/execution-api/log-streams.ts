import type { CallbackHandOff, LogStream, TaskHandOff } from '@windhover/core';
import type { Queryable } from '../store/database.ts';
import { getTaskLog } from '../store/hand-offs.ts';

/**
 * Which log a hand-off writes to. That never changes, so it is kept, and a chunk costs no query. Whether the hand-off is
 * still held is not asked: the last lines of a task that was overtaken belong to its attempt's log all the same.
 */
export class LogStreams {
  readonly #database: Queryable;
  readonly #capacity: number;
  /** The one used longest ago first. */
  readonly #known = new Map<string, LogStream>();

  constructor(database: Queryable, capacity = 10_000) {
    this.#database = database;
    this.#capacity = capacity;
  }

  remember({ taskInstanceId, epoch }: TaskHandOff, stream: LogStream): void {
    const name = `${taskInstanceId}:${epoch}`;
    this.#known.delete(name);
    this.#known.set(name, stream);
    if (this.#known.size > this.#capacity) this.#known.delete(this.#known.keys().next().value!);
  }

  /** Null where nothing is known of the hand-off. */
  async find(handOff: TaskHandOff | CallbackHandOff): Promise<LogStream | null> {
    if ('callbackId' in handOff) return { type: 'callback', callbackId: handOff.callbackId };
    const stream =
      this.#known.get(`${handOff.taskInstanceId}:${handOff.epoch}`) ?? (await getTaskLog(this.#database, handOff));
    if (stream) this.remember(handOff, stream);
    return stream;
  }
}
