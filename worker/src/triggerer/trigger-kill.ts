import { type ClaimedTrigger, type Json, type KillReason, serializeError } from '@windhover/core';
import { backoffMs } from '../dag-processor/backoff.ts';
import { endsWithin } from './ends-within.ts';
import { type AnyTrigger, makeTrigger } from './make-trigger.ts';
import { RunnerScope } from './runner-scope.ts';
import { type RunnerServices, TriggerSession } from './trigger-session.ts';

/** The `onKill` of a trigger whose task will not come back, tried until it succeeds or is hopeless. */
export class TriggerKill extends TriggerSession {
  readonly #reason: KillReason;
  #failAttempt: (error: unknown) => void = () => {};

  constructor(claimed: ClaimedTrigger, services: RunnerServices, reason: KillReason) {
    super(claimed, services);
    this.#reason = reason;
  }

  fail(error: unknown): void {
    this.#failAttempt(error);
  }

  protected live(kwargs: Json): void {
    // The host is gone when this rejects, and hears of nothing any more.
    void this.#kill(kwargs)
      .catch(() => {})
      .finally(() => this.over());
  }

  protected onStop(): void {
    // What waits here waits for the signal, too.
  }

  async #kill(kwargs: Json): Promise<void> {
    try {
      await this.#killWithRetries(await makeTrigger(this.services.loader, this.classpath, kwargs));
      await this.release({ outcome: 'killed' });
    } catch (thrown) {
      // Somebody else goes on with it; to cancel twice does no harm.
      if (this.stopReason) return this.release({ outcome: 'handedBack' });
      const error = this.services.masker.maskError(serializeError(thrown));
      this.write('error', `onKill failed for good; outside work may go on. ${error.stack ?? error.message}`);
      await this.release({ outcome: 'killFailed', error });
    }
  }

  async #killWithRetries(trigger: AnyTrigger): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#killOnce(trigger);
      } catch (error) {
        const isHopeless = attempt + 1 === MAX_ATTEMPTS || (error as { isRetryable?: unknown })?.isRetryable === false;
        if (isHopeless || this.stopReason) throw error;
        const waitMs = backoffMs(attempt);
        const { name, message } = serializeError(error);
        this.write('warning', `onKill failed, trying again in ${waitMs} ms: ${name}: ${message}`);
        await this.services.sleeps.sleep(waitMs, this.stopSignal);
      }
    }
  }

  async #killOnce(trigger: AnyTrigger): Promise<void> {
    const stray = new Promise<never>((_, reject) => {
      this.#failAttempt = reject;
    });
    const kill = (async () => trigger.onKill(new RunnerScope(this), this.#reason))();
    const isEnded = await endsWithin(ATTEMPT_LIMIT_MS, this.stopSignal.race(Promise.race([kill, stray])));
    if (!isEnded) throw new Error(`onKill did not end within ${ATTEMPT_LIMIT_MS / 1000} s.`);
  }
}

/** With the backoff between them, three quarters of a minute. */
const MAX_ATTEMPTS = 10;
const ATTEMPT_LIMIT_MS = 60_000;
