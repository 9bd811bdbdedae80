import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import {
  type ClaimedTrigger,
  type Logger,
  serializeError,
  type TriggerApi,
  type TriggerLease,
  type TriggerSyncAnswer,
} from '@windhover/core';
import { CodeWatcher } from '../pool/code-watcher.ts';
import { PlatformHost } from './platform-host.ts';
import { type HeldTrigger, RunnerChild } from './runner-child.ts';
import { RunnerStarts } from './runner-starts.ts';
import type { StopReason } from './stop-signal.ts';
import { Suspects } from './suspects.ts';
import { SyncLoop } from './sync-loop.ts';
import { TriggerRunnerLostError } from './trigger-runner-lost-error.ts';

export interface TriggererOptions {
  readonly triggerApi: TriggerApi;
  /** Triggers and DAG files are loaded from here. */
  readonly projectRoot: string;
  /** Whose triggers it takes. */
  readonly queues: readonly string[];
  /** How many triggers it holds at most. */
  readonly capacity: number;
  readonly log: Logger;
  /** Default: made from the host, the process and chance, so that no two are equal. */
  readonly triggererId?: string;
}

/**
 * Supervises the processes that run triggers: claims them under leases, gives them to a runner, and tells the platform
 * what they say. It runs no user's code, so nothing a trigger does keeps it from renewing its leases. It keeps no
 * trigger either: what a runner leaves behind is handed back, and claimed again with its checkpoint, here or elsewhere.
 *
 * ```ts
 * const triggerer = new Triggerer({ triggerApi, projectRoot, queues: ['default'], capacity: 1_000, log });
 * await triggerer.start();
 * ```
 */
export class Triggerer {
  readonly triggererId: string;
  readonly #projectRoot: string;
  readonly #log: Logger;
  readonly #sync: SyncLoop;
  readonly #host: PlatformHost;
  readonly #suspects = new Suspects();
  readonly #starts = new RunnerStarts(() => this.#startMain());
  readonly #runners = new Set<RunnerChild>();
  /** Lease epochs by trigger id, also of those whose event is on its way. */
  readonly #leases = new Map<string, number>();
  /** The one for everything that is under no suspicion. */
  #main: RunnerChild | null = null;
  #code: CodeWatcher | undefined;
  #clockOffsetMs = 0;
  #isStopping = false;

  constructor(options: TriggererOptions) {
    this.triggererId = options.triggererId ?? `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
    this.#projectRoot = resolve(options.projectRoot);
    this.#log = options.log;
    this.#sync = new SyncLoop({
      triggerApi: options.triggerApi,
      triggererId: this.triggererId,
      queues: options.queues,
      log: options.log,
      codeHash: () => this.#codeHash,
      room: () => (this.#main?.isReady ? Math.max(0, options.capacity - this.#leases.size) : 0),
      onAnswer: (answer) => this.#take(answer),
      onLeasesLost: () => this.#loseAll(),
    });
    this.#host = new PlatformHost({
      triggerApi: options.triggerApi,
      sync: this.#sync,
      log: options.log,
      isHeld: (lease) => this.#isHeld(lease),
    });
  }

  /** How many triggers it holds. */
  get size(): number {
    return this.#leases.size;
  }

  /** Resolves when it has begun; triggers are claimed as soon as a runner is ready. */
  async start(): Promise<void> {
    this.#code = await CodeWatcher.start(this.#projectRoot, () => this.#useNewCode());
    this.#startMain();
    this.#sync.start();
  }

  /** Hands all triggers back. Resolves when the platform knows, or cannot be told. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#starts.stop();
    this.#sync.stopClaiming();
    await Promise.all([...this.#runners].map((runner) => runner.retire()));
    await this.#sync.finish();
    await this.#code?.close();
  }

  get #codeHash(): string {
    return this.#code!.codeHash;
  }

  #take({ claimed, dropped, now }: TriggerSyncAnswer): void {
    this.#setClock(Date.parse(now) - Date.now());
    for (const { reason, ...lease } of dropped) this.#drop(lease, reason);
    for (const { triggerId } of claimed) {
      const leaseEpoch = this.#leases.get(triggerId);
      if (leaseEpoch !== undefined) this.#drop({ triggerId, leaseEpoch }, 'leaseLost');
    }
    const groups = new Map<RunnerChild, ClaimedTrigger[]>();
    for (const trigger of claimed) {
      const runner = this.#runnerFor(trigger, groups);
      if (!runner) {
        this.#sync.release(trigger, { outcome: 'handedBack' });
        continue;
      }
      const group = groups.get(runner) ?? [];
      group.push(trigger);
      groups.set(runner, group);
    }
    for (const [runner, triggers] of groups) {
      for (const { triggerId, leaseEpoch } of triggers) this.#leases.set(triggerId, leaseEpoch);
      runner.start(triggers);
    }
  }

  #runnerFor({ triggerId }: ClaimedTrigger, groups: ReadonlyMap<RunnerChild, readonly unknown[]>): RunnerChild | null {
    if (this.#isStopping || !this.#main) return null;
    const groupSize = this.#suspects.groupSizeOf(triggerId);
    if (groupSize === Number.POSITIVE_INFINITY) return this.#main;
    const hasRoom = (runner: RunnerChild) => runner.size + (groups.get(runner)?.length ?? 0) < groupSize;
    const open = [...this.#runners].find(
      (runner) => runner.maxTriggers === groupSize && !runner.isRetiring && hasRoom(runner),
    );
    return open ?? this.#startRunner(groupSize);
  }

  #startMain(): void {
    this.#main = this.#startRunner(Number.POSITIVE_INFINITY);
  }

  #startRunner(maxTriggers: number): RunnerChild {
    const runner: RunnerChild = new RunnerChild({
      settings: { projectRoot: this.#projectRoot, clockOffsetMs: this.#clockOffsetMs },
      maxTriggers,
      host: this.#host,
      onReady: () => this.#sync.askForMore(),
      onFreed: (lease) => this.#onFreed(runner, lease),
      onPrinted: (level, line) => this.#log[level](line, { pid: runner.pid }),
      onExit: (left, why) => this.#onExit(runner, left, why),
    });
    this.#runners.add(runner);
    return runner;
  }

  /** Runners with the old code hand their triggers back, which then come to the new one. Nothing is killed. */
  #useNewCode(): void {
    if (this.#isStopping) return;
    for (const runner of this.#runners) void runner.retire();
    this.#starts.reset();
    this.#suspects.clearAll();
    this.#startMain();
  }

  #onFreed(runner: RunnerChild, lease: TriggerLease): void {
    this.#forget(lease);
    this.#suspects.clear(lease.triggerId);
    this.#sync.askForMore();
    if (runner !== this.#main && runner.size === 0) void runner.retire();
  }

  #onExit(runner: RunnerChild, left: readonly HeldTrigger[], why: string): void {
    this.#runners.delete(runner);
    const isExpected = runner.isRetiring;
    if (runner === this.#main) {
      this.#main = null;
      // First of all: what is handed back may come again at once.
      if (!this.#isStopping) this.#starts.again(runner.readyForMs);
    }
    if (!isExpected) this.#log.error(`A runner with ${left.length} triggers ended. ${why}`, { pid: runner.pid });
    const deaths = isExpected ? null : this.#suspects.onDeath(left, runner.readyForMs);
    for (const trigger of left) {
      if (deaths !== null) void this.#convict(trigger, deaths, why);
      else this.#handBack(trigger);
    }
  }

  /** The failure is its event; a kill that cannot be carried out ends in its own way. */
  async #convict(trigger: HeldTrigger, deaths: number, why: string): Promise<void> {
    const { triggerId, leaseEpoch, classpath } = trigger;
    const error = serializeError(new TriggerRunnerLostError(triggerId, classpath, deaths, why));
    this.#log.error(error.message);
    try {
      if (trigger.isKill) this.#sync.release(trigger, { outcome: 'killFailed', error });
      else await this.#host.submit({ triggerId, leaseEpoch, outcome: { type: 'failed', error } });
      this.#forget(trigger);
    } catch {
      this.#handBack(trigger);
    }
  }

  #handBack(lease: TriggerLease): void {
    this.#forget(lease);
    this.#sync.release(lease, { outcome: 'handedBack' });
  }

  #isHeld({ triggerId, leaseEpoch }: TriggerLease): boolean {
    return this.#leases.get(triggerId) === leaseEpoch;
  }

  /** Unless it was claimed again meanwhile. */
  #forget(lease: TriggerLease): void {
    if (this.#isHeld(lease)) this.#leases.delete(lease.triggerId);
  }

  #loseAll(): void {
    const leases = [...this.#leases];
    if (leases.length === 0) return;
    this.#log.error(`${leases.length} triggers are stopped: the platform was not reached while their leases lasted.`);
    for (const runner of this.#runners) runner.dropAll('leaseLost');
    // For those that nobody has taken meanwhile; the platform would renew them for this triggerer.
    for (const [triggerId, leaseEpoch] of leases)
      this.#sync.release({ triggerId, leaseEpoch }, { outcome: 'handedBack' });
    this.#leases.clear();
  }

  #drop(lease: TriggerLease, reason: StopReason): void {
    for (const runner of this.#runners) runner.drop([lease], reason);
    this.#forget(lease);
  }

  #setClock(offsetMs: number): void {
    if (offsetMs === this.#clockOffsetMs) return;
    this.#clockOffsetMs = offsetMs;
    for (const runner of this.#runners) runner.setClock(offsetMs);
  }
}
