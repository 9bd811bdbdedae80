import type { ClaimedTrigger, TriggerLease } from '@windhover/core';
import { createClassLoader } from '../loader/class-loader.ts';
import { Masker } from '../task/masker.ts';
import { SharedFetches } from './shared-fetches.ts';
import { SleepQueue } from './sleep-queue.ts';
import type { StopReason } from './stop-signal.ts';
import { ThreadCalls } from './thread-calls.ts';
import type { TriggerHost } from './trigger-host.ts';
import { TriggerKill } from './trigger-kill.ts';
import { TriggerRun } from './trigger-run.ts';
import type { RunnerServices, TriggerSession } from './trigger-session.ts';

export interface TriggerRunnerOptions {
  readonly projectRoot: string;
  readonly host: TriggerHost;
  /** The database's clock. Default: this machine's. */
  now?(): Date;
}

/**
 * Runs many triggers in this process. It knows nothing of other processes: what it has to tell goes to its host.
 *
 * ```ts
 * const runner = new TriggerRunner({ projectRoot, host });
 * runner.start(claimed);
 * ```
 */
export class TriggerRunner {
  readonly #services: RunnerServices;
  /** By trigger id. */
  readonly #sessions = new Map<string, TriggerSession>();

  constructor({ projectRoot, host, now = () => new Date() }: TriggerRunnerOptions) {
    this.#services = {
      projectRoot,
      host,
      now,
      loader: createClassLoader({ projectRoot }),
      sleeps: new SleepQueue(),
      shared: new SharedFetches(),
      threads: new ThreadCalls(projectRoot),
      masker: new Masker(),
      onOver: (session) => {
        if (this.#sessions.get(session.triggerId) === session) this.#sessions.delete(session.triggerId);
      },
    };
  }

  /** How many triggers are here, those included that are just being closed. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Runs a trigger, or the `onKill` of one that is cancelled. How it ends is told to the host. */
  start(claimed: ClaimedTrigger): void {
    const { triggerId, leaseEpoch, state, kwargs } = claimed;
    const former = this.#sessions.get(triggerId);
    if (former && former.lease.leaseEpoch >= leaseEpoch) return;
    const session =
      state.type === 'waiting'
        ? new TriggerRun(claimed, this.#services)
        : new TriggerKill(claimed, this.#services, state.reason);
    this.#sessions.set(triggerId, session);
    if (former) {
      // The same trigger under an older lease ends first.
      former.stop('leaseLost');
      void former.whenOver().then(() => session.begin(kwargs));
    } else session.begin(kwargs);
  }

  /** Stops one, without `onKill`. Resolves when nothing of it is left; an unknown one is none. */
  async drop({ triggerId, leaseEpoch }: TriggerLease, reason: StopReason): Promise<void> {
    const session = this.#sessions.get(triggerId);
    if (session?.lease.leaseEpoch !== leaseEpoch) return;
    session.stop(reason);
    await session.whenOver();
  }

  /** Stops all. Resolves when nothing of them is left. Default of the reason: they are handed back. */
  async stop(reason: StopReason = 'handedBack'): Promise<void> {
    const all = [...this.#sessions.values()];
    for (const session of all) session.stop(reason);
    await Promise.all(all.map((session) => session.whenOver()));
  }
}
