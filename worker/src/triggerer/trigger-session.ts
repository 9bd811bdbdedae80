import {
  type ClaimedTrigger,
  type Json,
  type LogLevel,
  StaleEpochError,
  type TriggerLease,
  type TriggerOwner,
  type TriggerProgress,
  type TriggerRelease,
} from '@windhover/core';
import type { ClassLoader } from '../loader/class-loader.ts';
import type { Masker } from '../task/masker.ts';
import { TaskLog } from '../task/task-log.ts';
import { endsWithin } from './ends-within.ts';
import type { SharedFetches } from './shared-fetches.ts';
import type { SleepQueue } from './sleep-queue.ts';
import { type StopReason, StopSignal } from './stop-signal.ts';
import type { ThreadCalls } from './thread-calls.ts';
import { runInFrame, type TriggerFrame } from './trigger-frame.ts';
import type { TriggerHost } from './trigger-host.ts';
import { TriggerStoppedError } from './trigger-stopped-error.ts';

/** What all triggers of a runner have in common. */
export interface RunnerServices {
  readonly projectRoot: string;
  readonly host: TriggerHost;
  readonly loader: ClassLoader;
  readonly sleeps: SleepQueue;
  readonly shared: SharedFetches;
  readonly threads: ThreadCalls;
  /** One for the runner: what one trigger fetches for all may turn up in the log of each. */
  readonly masker: Masker;
  /** The database's clock. */
  now(): Date;
  onOver(session: TriggerSession): void;
}

/**
 * One claim of a trigger in this process: under which lease it speaks, where its log goes, and whether it is to stop.
 * There are up to a hundred thousand of these, so what most do not need is made when it is asked for, and a waiting one
 * is an object that is called back and not an async function that is held.
 */
export abstract class TriggerSession implements TriggerFrame {
  readonly lease: TriggerLease;
  readonly classpath: string;
  readonly createdAt: string;
  readonly owner: TriggerOwner;
  readonly services: RunnerServices;
  readonly stopSignal = new StopSignal();
  checkpoint: Json | null;
  #log: TaskLog | undefined;
  #stopReason: StopReason | undefined;
  #over: PromiseWithResolvers<void> | undefined;
  #isOver = false;

  constructor(claimed: ClaimedTrigger, services: RunnerServices) {
    this.lease = { triggerId: claimed.triggerId, leaseEpoch: claimed.leaseEpoch };
    this.classpath = claimed.classpath;
    this.createdAt = claimed.createdAt;
    this.owner = claimed.owner;
    this.checkpoint = claimed.checkpoint;
    this.services = services;
    if (claimed.owner.type === 'task') services.masker.add(claimed.owner.task.secretsToMask);
  }

  get triggerId(): string {
    return this.lease.triggerId;
  }

  get stopReason(): StopReason | undefined {
    return this.#stopReason;
  }

  get log(): TaskLog {
    const { triggerId, leaseEpoch } = this.lease;
    this.#log ??= new TaskLog({
      writer: `trigger:${triggerId}:${leaseEpoch}`,
      masker: this.services.masker,
      send: (chunks) => this.services.host.log(chunks.map((chunk) => ({ ...this.lease, ...chunk }))),
    });
    return this.#log;
  }

  /** Goes on in its own frame until it calls `over`. */
  begin(kwargs: Json): void {
    runInFrame(this, () => this.live(kwargs));
  }

  /** Resolves when nothing of it is left here. */
  async whenOver(): Promise<void> {
    if (this.#isOver) return;
    this.#over ??= Promise.withResolvers<void>();
    await this.#over.promise;
  }

  stop(reason: StopReason): void {
    if (this.#stopReason) return;
    this.#stopReason = reason;
    runInFrame(this, () => {
      this.onStop(reason);
      this.stopSignal.stop(new TriggerStoppedError(this.triggerId, reason));
    });
  }

  /** Asks the platform under this lease. Ends with the trigger; and ends the trigger, if the lease is another's. */
  async ask<T>(call: (host: TriggerHost, lease: TriggerLease) => Promise<T>): Promise<T> {
    if (this.stopSignal.error) throw this.stopSignal.error;
    try {
      return await this.stopSignal.race(call(this.services.host, this.lease));
    } catch (error) {
      if (StaleEpochError.isInstance(error)) this.stop('leaseLost');
      throw error;
    }
  }

  progress(progress: TriggerProgress): void {
    // Only for people to look at: one that gets lost is followed by the next.
    this.services.host.progress(this.lease, progress).catch(() => {});
  }

  write(level: LogLevel, line: string): void {
    this.log.write(level, line);
  }

  abstract fail(error: unknown): void;

  protected abstract live(kwargs: Json): void;

  protected abstract onStop(reason: StopReason): void;

  protected async release(release: TriggerRelease): Promise<void> {
    await this.flushLog();
    await this.services.host.release(this.lease, release);
  }

  /** A trigger does not fail, or wait for long, because its log cannot be kept. */
  protected async flushLog(): Promise<void> {
    if (this.#log) await endsWithin(LOG_LIMIT_MS, this.#log.flush()).catch(() => {});
  }

  protected over(): void {
    this.#isOver = true;
    this.services.onOver(this);
    this.#over?.resolve();
  }
}

const LOG_LIMIT_MS = 5_000;
