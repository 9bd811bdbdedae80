import type {
  Logger,
  TriggerApi,
  TriggerLease,
  TriggerProgress,
  TriggerRelease,
  TriggerSyncAnswer,
} from '@windhover/core';
import { backoffMs } from '../dag-processor/backoff.ts';
import { endsWithin } from './ends-within.ts';

export interface SyncLoopOptions {
  readonly triggerApi: TriggerApi;
  readonly triggererId: string;
  readonly queues: readonly string[];
  readonly log: Logger;
  codeHash(): string;
  /** How many more triggers could be taken now. */
  room(): number;
  onAnswer(answer: TriggerSyncAnswer): void;
  /** The platform has not been reached for as long as the leases last: by now they may be others'. */
  onLeasesLost(): void;
}

/**
 * The long poll that claims triggers and renews their leases. The next begins when one has ended; what cannot wait that
 * long is told by a short one beside it.
 */
export class SyncLoop {
  readonly #options: SyncLoopOptions;
  #releases: (TriggerLease & TriggerRelease)[] = [];
  /** The latest of each trigger. */
  readonly #progress = new Map<string, TriggerLease & TriggerProgress>();
  #progressTimer: NodeJS.Timeout | undefined;
  /** How many triggers the polls under way may bring. */
  #asked = 0;
  /** There is something to say or to ask beside releases. */
  #isDue = false;
  #telling: Promise<void> | null = null;
  #leaseMs: number | null = null;
  #leaseEndsAt = 0;
  #leaseTimer: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();
  #polling: Promise<void> = Promise.resolve();

  constructor(options: SyncLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#polling = this.#poll();
  }

  release(lease: TriggerLease, release: TriggerRelease): void {
    this.#releases.push({ triggerId: lease.triggerId, leaseEpoch: lease.leaseEpoch, ...release });
    this.#tell();
  }

  /** Told in a while, with the progress of others. */
  progress(lease: TriggerLease, progress: TriggerProgress): void {
    this.#progress.set(lease.triggerId, { ...progress, triggerId: lease.triggerId, leaseEpoch: lease.leaseEpoch });
    this.#progressTimer ??= setTimeout(() => this.#tellNow(), PROGRESS_MS).unref();
  }

  /** There is room again; a poll that asked for none would bring none. */
  askForMore(): void {
    if (this.#asked > 0 || this.#options.room() === 0) return;
    this.#tellNow();
  }

  /** From now on nothing is claimed. What a poll under way brings is still answered. */
  stopClaiming(): void {
    this.#stopping.abort();
    // The platform ends a poll that waits when a newer one comes.
    this.#tellNow();
  }

  /** Resolves when everything is told, or cannot be: then the leases end by themselves. */
  async finish(): Promise<void> {
    await endsWithin(this.#waitMs() + FINISH_MARGIN_MS, this.#polling);
    await this.#telling;
    clearTimeout(this.#leaseTimer);
    clearTimeout(this.#progressTimer);
    for (let attempt = 0; this.#releases.length > 0; attempt += 1) {
      try {
        await this.#sync(0);
      } catch (error) {
        if (attempt < FINISH_ATTEMPTS) await pause(backoffMs(attempt));
        else
          return this.#warn(`${this.#releases.length} triggers could not be handed back; their leases run out`, error);
      }
    }
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#sync(this.#waitMs());
        failures = 0;
      } catch (error) {
        const waitMs = backoffMs(failures);
        failures += 1;
        this.#warn(`The platform could not be reached; trying again in ${waitMs} ms`, error);
        await pause(waitMs, signal);
      }
    }
  }

  #tellNow(): void {
    this.#isDue = true;
    this.#tell();
  }

  /** A short sync at once for what is new; what comes meanwhile goes with the next. */
  #tell(): void {
    this.#telling ??= this.#tellAll();
  }

  async #tellAll(): Promise<void> {
    // What comes in one message of a runner goes together.
    await null;
    try {
      while (this.#releases.length > 0 || this.#isDue) await this.#sync(0);
    } catch {
      // The poll meets the same, tells of it, and takes along what was not told.
    } finally {
      this.#telling = null;
    }
  }

  async #sync(waitMs: number): Promise<void> {
    const { triggerApi, triggererId, queues, codeHash, room, onAnswer } = this.#options;
    const capacity = this.#stopping.signal.aborted ? 0 : Math.max(0, room() - this.#asked);
    const done = this.#releases.splice(0);
    const progress = [...this.#progress.values()];
    this.#progress.clear();
    clearTimeout(this.#progressTimer);
    this.#progressTimer = undefined;
    this.#isDue = false;
    this.#asked += capacity;
    const sentAt = performance.now();
    let answer: TriggerSyncAnswer;
    try {
      answer = await triggerApi.sync({
        triggererId,
        queues,
        codeHash: codeHash(),
        capacity,
        done,
        progress,
        // One that asks for nothing hears of no trigger, and must look again soon.
        waitMs: capacity > 0 ? waitMs : Math.min(waitMs, FULL_WAIT_MS),
      });
    } catch (error) {
      this.#releases.unshift(...done);
      throw error;
    } finally {
      this.#asked -= capacity;
    }
    this.#renewed(sentAt, answer.leaseMs);
    onAnswer(answer);
  }

  /** From when it was asked: that is the earliest that the platform can have renewed them. */
  #renewed(sentAt: number, leaseMs: number): void {
    this.#leaseMs = leaseMs;
    // A long one that was sent before a short one is answered after it.
    this.#leaseEndsAt = Math.max(this.#leaseEndsAt, sentAt + leaseMs);
    clearTimeout(this.#leaseTimer);
    const leftMs = Math.max(0, this.#leaseEndsAt - performance.now());
    this.#leaseTimer = setTimeout(() => this.#options.onLeasesLost(), leftMs).unref();
  }

  /** The first one answers at once, with the length of the lease. */
  #waitMs(): number {
    return this.#leaseMs === null ? 0 : Math.min(MAX_WAIT_MS, this.#leaseMs / 3);
  }

  #warn(what: string, error: unknown): void {
    this.#options.log.warning(`${what}: ${(error as Error | null)?.message ?? error}`);
  }
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

const MAX_WAIT_MS = 10_000;
const FULL_WAIT_MS = 1_000;
const PROGRESS_MS = 1_000;
const FINISH_MARGIN_MS = 1_000;
const FINISH_ATTEMPTS = 3;
