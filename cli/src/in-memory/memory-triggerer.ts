import { setTimeout as sleep } from 'node:timers/promises';
import { TriggerRunner } from '@windhover/worker';
import type { MemoryRun, MemoryTrigger } from './memory-run.ts';
import { leaseOf, MemoryTriggerHost, type MemoryTriggerHostOptions } from './memory-trigger-host.ts';

export interface MemoryTriggererOptions extends MemoryTriggerHostOptions {
  readonly projectRoot: string;
}

/** Runs the triggers of a run in memory. There is no other triggerer, so each is claimed as soon as it is there. */
export class MemoryTriggerer {
  readonly #run: MemoryRun;
  readonly #host: MemoryTriggerHost;
  readonly #runner: TriggerRunner;
  readonly #claimed = new Map<number, MemoryTrigger['state']>();

  constructor({ projectRoot, ...options }: MemoryTriggererOptions) {
    this.#run = options.run;
    this.#host = new MemoryTriggerHost(options);
    this.#runner = new TriggerRunner({ projectRoot, host: this.#host });
  }

  /** After a change: starts what has been deferred to, and cancels what is not waited for any more. */
  sync(): void {
    for (const trigger of this.#run.triggers.values()) {
      if (this.#claimed.get(trigger.id) === trigger.state) continue;
      this.#claimed.set(trigger.id, trigger.state);
      const isKilled = trigger.state !== 'waiting';
      if (isKilled) void this.#runner.drop(leaseOf({ id: trigger.id, state: 'waiting' }), 'killed');
      this.#runner.start(this.#host.claimed(trigger));
    }
  }

  /** Resolves when all that was cancelled is, and what was open is closed. */
  async close(): Promise<void> {
    const limit = new AbortController();
    await Promise.race([
      this.#host.idle(),
      sleep(CANCEL_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => {}),
    ]);
    limit.abort();
    await this.#runner.stop();
  }
}

/** Somebody sits before it: an outside service that does not answer must not keep them. */
const CANCEL_LIMIT_MS = 10_000;
