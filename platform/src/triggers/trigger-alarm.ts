import type { Database } from '../store/database.ts';
import type { Notifications } from '../store/notifications.ts';
import { giveUpSilentTriggerers, nextTriggerChangeMs } from '../store/triggerers.ts';
import { admitDueTriggers } from '../store/triggers.ts';

/**
 * Tells waiting syncs when to look again: on a notification, and by one timer for what comes with time alone, a
 * trigger's hour or the end of a silent triggerer's lease. As long as nothing happens nobody asks the database.
 */
export class TriggerAlarm {
  readonly #database: Database;
  readonly #unsubscribe: () => void;
  readonly #waiting = new Set<() => void>();
  #rings = 0;
  /** For which ring the timer is set. */
  #armedFor = -1;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(database: Database, notifications: Pick<Notifications, 'on'>) {
    this.#database = database;
    this.#unsubscribe = notifications.on('windhover_trigger', () => this.#ring());
  }

  /** Read it before looking, and pass it to `next`: what happens meanwhile is not missed. */
  get rings(): number {
    return this.#rings;
  }

  /** Resolves to true at the next ring after `seen`; to false after `waitMs`, or when `signal` aborts. */
  async next(seen: number, waitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#isClosed || signal.aborted) return false;
    if (this.#rings !== seen) return true;
    if (this.#armedFor !== seen) {
      this.#armedFor = seen;
      void this.#arm(seen);
    }
    return new Promise((resolve) => {
      const end = (isRung: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#waiting.delete(ring);
        resolve(isRung);
      };
      const ring = () => end(!this.#isClosed);
      const giveUp = () => end(false);
      const timer = setTimeout(giveUp, waitMs);
      signal.addEventListener('abort', giveUp);
      this.#waiting.add(ring);
    });
  }

  /** Nobody waits any longer. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#ring();
  }

  #ring(): void {
    this.#rings += 1;
    clearTimeout(this.#timer);
    for (const ring of [...this.#waiting]) ring();
  }

  async #arm(ring: number): Promise<void> {
    try {
      const delayMs = await nextTriggerChangeMs(this.#database);
      if (delayMs === null || ring !== this.#rings) return;
      const waitMs = delayMs <= 0 ? 0 : Math.min(delayMs + GATHER_MS, LONGEST_TIMER_MS);
      this.#timer = setTimeout(() => void this.#timeHasCome(), waitMs);
    } catch {
      // The database cannot be asked. Syncs end by themselves, and the next one arms again.
      this.#armedFor = -1;
    }
  }

  async #timeHasCome(): Promise<void> {
    try {
      await admitDueTriggers(this.#database);
      await giveUpSilentTriggerers(this.#database);
    } catch {
      // As above: it is tried again with the next sync.
    }
    this.#ring();
  }
}

/** Hours that are close together are dealt with at once. Triggers are admitted seconds before theirs, so none is late. */
const GATHER_MS = 200;
/** Node's timers hold no more than 24.8 days. Ringing for nothing once a day is harmless. */
const LONGEST_TIMER_MS = 86_400_000;
