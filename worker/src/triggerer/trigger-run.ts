import {
  type ExitReason,
  type Json,
  outcomeOfError,
  outcomeOfEvent,
  StaleEpochError,
  type SubmitAnswer,
  serializeError,
  type TaskDeferredEvent,
  type TriggerOutcome,
} from '@windhover/core';
import { backoffMs } from '../dag-processor/backoff.ts';
import { endsWithin } from './ends-within.ts';
import { type AnyTrigger, makeTrigger } from './make-trigger.ts';
import { RunnerScope } from './runner-scope.ts';
import type { StopReason } from './stop-signal.ts';
import { TriggerSession } from './trigger-session.ts';
import { TriggerStoppedError } from './trigger-stopped-error.ts';

interface End {
  readonly reason: ExitReason;
  /** Null where the wait is not over, but only this process's part in it. */
  readonly outcome: TriggerOutcome | null;
}

/** One wait in this process: makes the trigger, runs it to its event, and closes it, whatever happens. */
export class TriggerRun extends TriggerSession {
  #trigger: AnyTrigger | undefined;
  #events: AsyncGenerator<unknown, void> | undefined;
  /** Its generator is in the middle of something, and not at a `yield`. */
  #isBusy = false;
  #isEnding = false;

  fail(error: unknown): void {
    if (!this.#isEnding) this.#onError(error);
    else if (!isStop(error)) this.write('warning', `An error came after the trigger's end: ${textOf(error)}`);
  }

  protected live(kwargs: Json): void {
    makeTrigger(this.services.loader, this.classpath, kwargs).then(
      (trigger) => this.#enter(trigger),
      (error) => this.#onError(error),
    );
  }

  protected onStop(reason: StopReason): void {
    // While its class is being loaded there is nothing to end yet.
    if (this.#events) this.#end({ reason, outcome: null });
  }

  #enter(trigger: AnyTrigger): void {
    this.#trigger = trigger;
    try {
      this.#events = trigger.run(new RunnerScope(this));
      this.#next();
    } catch (error) {
      this.#onError(error);
    }
  }

  #next(): void {
    if (this.stopReason) {
      this.#end({ reason: this.stopReason, outcome: null });
      return;
    }
    this.#isBusy = true;
    this.#events!.next().then(
      (result) => {
        this.#isBusy = false;
        if (!this.#isEnding) void this.#onEvent(result);
      },
      (error) => {
        this.#isBusy = false;
        if (!this.#isEnding) this.#onError(error);
      },
    );
  }

  async #onEvent(result: IteratorResult<unknown, void>): Promise<void> {
    const outcome = await this.#outcomeOf(result);
    // A watcher goes on after its event; everybody else waits for one only.
    const isLast = this.owner.type !== 'dag' || outcome.type !== 'event';
    if (isLast) {
      this.#end({ reason: exitReason(outcome), outcome });
      return;
    }
    if ((await this.#submit(outcome)) === 'stale') this.stop('leaseLost');
    else if (outcome.checkpoint !== undefined) this.checkpoint = outcome.checkpoint;
    if (!this.#isEnding) this.#next();
  }

  #onError(error: unknown): void {
    const outcome = outcomeOfError(error);
    this.#end({ reason: exitReason(outcome), outcome });
  }

  #end(end: End): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    // The host is gone when this rejects, and hears of nothing any more.
    void this.#finish(end)
      .catch(() => {})
      .finally(() => this.over());
  }

  async #finish({ reason, outcome }: End): Promise<void> {
    // The event goes out at once; the task need not wait for what is closed here.
    const submitted = outcome && this.#submit(outcome);
    await this.#close(reason);
    await submitted;
    // Whoever gave the order to stop knows; but it may have been the platform, by its answer to the trigger itself.
    await (outcome ? this.flushLog() : this.release({ outcome: 'handedBack' }));
  }

  async #outcomeOf(result: IteratorResult<unknown, void>): Promise<TriggerOutcome> {
    const outcome = outcomeOfEvent(this.#trigger!, result);
    if (outcome.type !== 'deferred') return outcome;
    const next = (result.value as TaskDeferredEvent).deferral.trigger;
    try {
      // Before anything is written, as when a worker defers.
      await this.services.loader.assertResolvesTo(
        outcome.deferral.trigger.classpath,
        next.constructor as new () => AnyTrigger,
      );
      return outcome;
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  async #submit(found: TriggerOutcome): Promise<SubmitAnswer> {
    const { lease, services } = this;
    let outcome = this.#masked(found);
    if (outcome.type === 'failed') this.write('error', outcome.error.stack ?? outcome.error.message);
    // Whoever sees the end of the wait must find all of its log.
    await this.flushLog();
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await services.host.submit({ ...lease, outcome });
      } catch (error) {
        if (isGone(error)) return 'stale';
        // It was refused, and will be again: then that is how the trigger failed.
        if (outcome.type !== 'failed') outcome = this.#masked(outcomeOfError(error));
        await new Promise((resolve) => setTimeout(resolve, backoffMs(attempt)));
      }
    }
  }

  #masked(outcome: TriggerOutcome): TriggerOutcome {
    const { masker } = this.services;
    if (outcome.type === 'failed') return { type: 'failed', error: masker.maskError(outcome.error) };
    return outcome.type === 'skipped' ? { type: 'skipped', reason: masker.mask(outcome.reason) } : outcome;
  }

  async #close(reason: ExitReason): Promise<void> {
    const endLeftovers = () => this.stopSignal.stop(new TriggerStoppedError(this.triggerId, reason));
    // One that is in the middle of something learns it from its signal; one at a `yield` has only its `finally` left.
    if (this.#isBusy) endLeftovers();
    await this.#attempt('Its run() did not end', async () => this.#events?.return());
    endLeftovers();
    await this.#attempt('Its cleanup() did not end', async () => this.#trigger?.cleanup(reason));
  }

  /** Users' code at the end of a trigger: it gets some time, and its errors are told in the log. */
  async #attempt(what: string, run: () => Promise<unknown>): Promise<void> {
    try {
      const isEnded = await endsWithin(CLOSE_LIMIT_MS, run());
      if (!isEnded) this.write('warning', `${what} within ${CLOSE_LIMIT_MS / 1000} s. It is left behind.`);
    } catch (error) {
      if (!isStop(error)) this.write('warning', `${what} in order: ${textOf(error)}`);
    }
  }
}

const CLOSE_LIMIT_MS = 5_000;

function exitReason({ type }: TriggerOutcome): ExitReason {
  return type === 'failed' ? 'failed' : 'fired';
}

/** Nobody is there any more to hear of the event. */
function isGone(error: unknown): boolean {
  return StaleEpochError.isInstance(error) || (error as { code?: unknown } | null)?.code === 'E_IPC_CLOSED';
}

function isStop(error: unknown): boolean {
  return error instanceof TriggerStoppedError;
}

function textOf(error: unknown): string {
  const { stack, name, message } = serializeError(error);
  return stack ?? `${name}: ${message}`;
}
