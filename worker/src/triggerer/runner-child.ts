import { type ChildProcess, fork } from 'node:child_process';
import {
  type ClaimedTrigger,
  type LogLevel,
  StaleEpochError,
  type SubmitAnswer,
  type SubmittedEvent,
  type TriggerLease,
} from '@windhover/core';
import { connect } from '../ipc/connect.ts';
import type { IpcChannel } from '../ipc/ipc-channel.ts';
import { serve } from '../ipc/serve.ts';
import { moduleFile, userCodeEnvironment, userCodeExecArgv } from '../loader/user-code-process.ts';
import { OutputTail } from '../pool/output-tail.ts';
import { connectionSecrets, Masker } from '../task/masker.ts';
import { killGroup } from './kill-group.ts';
import type { RunnerHostApi, RunnerProcessApi, RunnerProcessSettings } from './runner-process-api.ts';
import type { StopReason } from './stop-signal.ts';
import type { TriggerHost } from './trigger-host.ts';

export interface RunnerChildOptions {
  readonly settings: RunnerProcessSettings;
  /** How many triggers it may hold. */
  readonly maxTriggers: number;
  /** Where its triggers' calls go. */
  readonly host: TriggerHost;
  onReady(): void;
  /** A trigger is no longer here. */
  onFreed(lease: TriggerLease): void;
  onPrinted(level: LogLevel, line: string): void;
  /** The process is gone; these triggers were in it. `why` is for people. */
  onExit(left: readonly HeldTrigger[], why: string): void;
}

/** What is known of a trigger outside of its runner. */
export interface HeldTrigger extends TriggerLease {
  readonly classpath: string;
  readonly isKill: boolean;
  /** A watcher stays after an event. */
  readonly isWatcher: boolean;
  /** Its last event is on its way to the platform. */
  isSubmitting: boolean;
}

/** One runner process, as its triggerer sees it. */
export class RunnerChild {
  readonly maxTriggers: number;
  /** It gets no more triggers. */
  isRetiring = false;
  readonly #options: RunnerChildOptions;
  readonly #child: ChildProcess;
  readonly #remote: RunnerProcessApi;
  readonly #masker = new Masker();
  readonly #tail: OutputTail;
  readonly #held = new Map<string, HeldTrigger>();
  /** Until it is ready. */
  #queue: ClaimedTrigger[] = [];
  #killTimer: NodeJS.Timeout | undefined;
  #readyAt: number | null = null;
  #isGone = false;
  readonly #gone = Promise.withResolvers<void>();

  constructor(options: RunnerChildOptions) {
    this.#options = options;
    this.maxTriggers = options.maxTriggers;
    this.#child = fork(moduleFile('runner-process', import.meta.url), [JSON.stringify(options.settings)], {
      cwd: options.settings.projectRoot,
      execArgv: userCodeExecArgv(),
      env: userCodeEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: what triggers start is killed with it, and Ctrl-C in a terminal reaches only the triggerer.
      detached: true,
    });
    this.#tail = new OutputTail((line) => this.#print('info', line));
    this.#tail.follow(this.#child.stdout!);
    this.#tail.follow(this.#child.stderr!);
    const channel = this.#child as IpcChannel;
    this.#remote = connect<RunnerProcessApi>(channel);
    serve<RunnerHostApi>(channel, this.#served());
    this.#child.once('exit', (code, signal) =>
      this.#drain(signal ? `was killed by ${signal}` : `exited with code ${code}`),
    );
    // It could not even be started; there is no exit then.
    this.#child.on(
      'error',
      ({ message }) => this.#child.pid === undefined && this.#settle(`could not be started: ${message}`),
    );
  }

  get isReady(): boolean {
    return this.#readyAt !== null;
  }

  /** How long it has been able to work. */
  get readyForMs(): number {
    return this.#readyAt === null ? 0 : performance.now() - this.#readyAt;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get size(): number {
    return this.#held.size;
  }

  holds({ triggerId, leaseEpoch }: TriggerLease): boolean {
    return this.#held.get(triggerId)?.leaseEpoch === leaseEpoch;
  }

  start(claimed: readonly ClaimedTrigger[]): void {
    for (const { triggerId, leaseEpoch, classpath, state, owner } of claimed) {
      const isKill = state.type === 'cancelling';
      const isWatcher = owner.type === 'dag';
      this.#held.set(triggerId, { triggerId, leaseEpoch, classpath, isKill, isWatcher, isSubmitting: false });
      if (owner.type === 'task') this.#masker.add(owner.task.secretsToMask);
    }
    // A broken channel is followed by the exit, which tells everything.
    if (this.isReady) this.#remote.start(claimed).catch(() => {});
    else this.#queue.push(...claimed);
  }

  /** Stops those of them that are here, without `onKill`. */
  drop(leases: readonly TriggerLease[], reason: StopReason): void {
    const here = leases.filter((lease) => this.holds(lease));
    if (here.length === 0) return;
    const ids = new Set(here.map(({ triggerId }) => triggerId));
    this.#queue = this.#queue.filter(({ triggerId }) => !ids.has(triggerId));
    for (const lease of here) this.#free(lease);
    this.#remote.drop(here.map((lease) => ({ ...lease, reason }))).catch(() => {});
  }

  dropAll(reason: StopReason): void {
    this.drop([...this.#held.values()], reason);
  }

  setClock(offsetMs: number): void {
    this.#remote.setClock(offsetMs).catch(() => {});
  }

  /** Has it hand back everything and end. Resolves when it is gone. */
  async retire(): Promise<void> {
    if (!this.isRetiring) {
      this.isRetiring = true;
      if (this.isReady) this.#remote.retire().catch(() => {});
      else killGroup(this.#child);
      this.#killTimer = setTimeout(() => killGroup(this.#child), RETIRE_LIMIT_MS);
    }
    await this.#gone.promise;
  }

  #served(): RunnerHostApi {
    const { host, onReady } = this.#options;
    const held = <A extends unknown[], R>(call: (lease: TriggerLease, ...args: A) => Promise<R>) => {
      return async (lease: TriggerLease, ...args: A): Promise<R> => {
        this.#assertHeld(lease);
        return call.call(host, lease, ...args);
      };
    };
    return {
      ready: async () => {
        this.#readyAt = performance.now();
        if (this.#queue.length > 0) this.start(this.#queue.splice(0));
        onReady();
      },
      printed: async (level, line) => this.#print(level, line),
      submit: (event) => this.#submit(event),
      release: async (lease, release) => {
        if (!this.holds(lease)) return;
        this.#free(lease);
        await host.release(lease, release);
      },
      connection: async (lease, connId) => {
        this.#assertHeld(lease);
        const fields = await host.connection(lease, connId);
        if (fields) this.#masker.add(connectionSecrets(fields));
        return fields;
      },
      // The last lines of a trigger may come after its event.
      log: (chunks) => host.log(chunks),
      progress: held(host.progress),
      saveCheckpoint: held(host.saveCheckpoint),
      variable: held(host.variable),
      getXCom: held(host.getXCom),
      sendSignal: held(host.sendSignal),
      listenSignal: held(host.listenSignal),
      runStates: held(host.runStates),
    };
  }

  async #submit(event: SubmittedEvent): Promise<SubmitAnswer> {
    if (!this.holds(event)) return 'stale';
    const trigger = this.#held.get(event.triggerId)!;
    const isLast = !trigger.isWatcher || event.outcome.type !== 'event';
    trigger.isSubmitting = isLast;
    try {
      const answer = await this.#options.host.submit(event);
      if (isLast || answer === 'stale') this.#free(event);
      return answer;
    } catch (error) {
      trigger.isSubmitting = false;
      if (this.#isGone && this.holds(event)) {
        // Its runner would have made a failure of it; the next one will.
        this.#free(event);
        await this.#options.host.release(event, { outcome: 'handedBack' });
      }
      throw error;
    }
  }

  #assertHeld(lease: TriggerLease): void {
    if (!this.holds(lease)) throw new StaleEpochError(`Trigger ${lease.triggerId}`, lease.leaseEpoch);
  }

  #free(lease: TriggerLease): void {
    if (!this.holds(lease)) return;
    this.#held.delete(lease.triggerId);
    this.#options.onFreed(lease);
  }

  #print(level: LogLevel, line: string): void {
    this.#options.onPrinted(level, this.#masker.mask(line));
  }

  /** What it had sent before it died is still in the channel, and counts. */
  #drain(how: string): void {
    killGroup(this.#child);
    if (!this.#child.connected) return void setImmediate(() => this.#settle(how));
    const timer = setTimeout(() => this.#settle(how), DRAIN_MS);
    this.#child.once('disconnect', () => {
      clearTimeout(timer);
      setImmediate(() => this.#settle(how));
    });
  }

  #settle(how: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#killTimer);
    // One whose event is under way needs its process no more.
    const left = [...this.#held.values()].filter(({ isSubmitting }) => !isSubmitting);
    for (const { triggerId } of left) this.#held.delete(triggerId);
    const said = this.#tail.last.map((line) => `\n  ${this.#masker.mask(line)}`).join('');
    const why = `Its process (pid ${this.pid}) ${how}.${said && ` It said last:${said}`}`;
    this.#options.onExit(left, why);
    this.#gone.resolve();
  }
}

const RETIRE_LIMIT_MS = 15_000;
const DRAIN_MS = 200;
