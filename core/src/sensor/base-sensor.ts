import { brandPrototype, hasBrand } from '../brand.ts';
import type { Context, TriggerContext } from '../context/context.ts';
import { type Duration, durationMs } from '../duration.ts';
import { BaseOperator, type TemplatedArgs } from '../operator/base-operator.ts';
import type { OperatorOptions } from '../operator/operator-options.ts';
import { TaskFailed } from '../operator/task-failed.ts';
import { type TaskDeferred, TaskRescheduled, TaskSkipped } from '../operator/task-signals.ts';
import { serialize } from '../serde/serialize.ts';
import type { RenderedValue } from '../template/render.ts';
import type { BaseTrigger } from '../trigger/base-trigger.ts';
import { type PollHost, type PollOptions, poll } from '../trigger/poll.ts';
import { PollTimeoutError } from '../trigger/poll-timeout-error.ts';
import type { TriggerEvent } from '../trigger/trigger-event.ts';
import { SensorTimeoutError } from './sensor-timeout-error.ts';
import { SensorTrigger } from './sensor-trigger.ts';

export interface SensorOptions {
  /** Between two checks. Default: 60 seconds. */
  readonly pokeInterval?: Duration;
  /** For the whole wait, over deferrals, reschedules and retries. Default: 7 days. */
  readonly timeout?: Duration;
  /**
   * Where it waits: `defer` in the triggerer, `reschedule` in the database between checks, `poke` on its worker.
   * Default: `defer`.
   */
  readonly mode?: SensorMode;
  /** Skips instead of failing when the wait was in vain. Default: false. */
  readonly softFail?: boolean;
  /** Doubles the interval after each check. Default: false. */
  readonly exponentialBackoff?: boolean;
  /** The longest interval with backoff. Default: ten minutes. */
  readonly maxWait?: Duration;
}

export type SensorMode = 'defer' | 'poke' | 'reschedule';

/** The answer of a check that also has a result to give. */
export interface PokeResult<Result = unknown> {
  readonly isDone: boolean;
  /** The sensor's result once it is done. Default: undefined. */
  readonly xcom?: Result;
}

/**
 * Waits until a check says yes. Write `poke`, and the sensor can wait in the triggerer, on a worker, or rescheduled,
 * with the same outcome: `poke` gets only what each of these places can offer.
 *
 * ```ts
 * class AcmeFileSensor extends BaseSensor<string, { path: string }> {
 *   async poke(context: TriggerContext) {
 *     const found = await new AcmeHook(context, 'acme_default').find(this.args.path);
 *     return { isDone: found !== undefined, xcom: found };
 *   }
 * }
 * ```
 */
export abstract class BaseSensor<Result = unknown, Args extends object = Record<never, never>> extends BaseOperator<
  Result | undefined,
  Args & SensorOptions
> {
  static {
    brandPrototype(BaseSensor.prototype, 'BaseSensor');
  }

  // Declared, not inherited: the options of a sensor are plain, only its own arguments may be templates.
  constructor(options: OperatorOptions & SensorOptions & TemplatedArgs<Args>) {
    super(options as unknown as OperatorOptions & TemplatedArgs<Args & SensorOptions>);
  }

  static override isInstance(value: unknown): value is BaseSensor<unknown, any> {
    return hasBrand(value, 'BaseSensor');
  }

  /** Looks once. Passing failures (network, 429, 5xx) may be thrown: they are tried again inside a budget. */
  abstract poke(context: TriggerContext): Promise<boolean | PokeResult<Result>>;

  /**
   * What waits in `defer` mode. Default: `SensorTrigger`, which calls `poke` in the triggerer. Override it to bring a
   * trigger that many tasks can share; its event reaches `executeComplete`, or it ends the task itself.
   */
  protected waitTrigger(context: TriggerContext, before: ChecksBefore): BaseTrigger<any, any> {
    return new SensorTrigger({
      dagId: context.dagId,
      versionHash: context.versionHash,
      runId: context.runId,
      taskId: context.taskId,
      mapIndex: context.mapIndex,
      rendered: this.renderedArgs.filter(isStorable),
      ...before,
    });
  }

  async execute(context: Context): Promise<Result | undefined> {
    return this.failingSoftly(() =>
      this.args.mode === 'poke' ? this.pokeUntilDone(context) : this.pokeOnce(context, NO_CHECKS),
    );
  }

  /** Where a rescheduled sensor goes on. */
  async executeRescheduled(
    context: Context,
    _event: TriggerEvent<unknown>,
    kwargs: ChecksBefore,
  ): Promise<Result | undefined> {
    return this.failingSoftly(() => this.pokeOnce(context, kwargs));
  }

  /** Where a deferred sensor goes on whose own trigger fired. Default: the event is the result. */
  async executeComplete(_context: Context, event: TriggerEvent<any>): Promise<Result | undefined> {
    return event.payload as Result;
  }

  override startTrigger(context: TriggerContext): TaskDeferred {
    return this.deferral(this.waiting(context, NO_CHECKS));
  }

  /** One check of the loop that all modes share, so that they give the same answers. Undefined: not yet. */
  async check(context: TriggerContext): Promise<PokeResult<Result> | undefined> {
    const answer = await this.poke(context);
    const result = typeof answer === 'boolean' ? { isDone: answer } : answer;
    return result.isDone ? result : undefined;
  }

  /** The end of that loop without success: what was thrown, or a sensor's own word for a wait in vain. */
  failure(thrown: unknown): unknown {
    return PollTimeoutError.isInstance(thrown) ? new SensorTimeoutError(this.taskId, this.timeoutMs(), thrown) : thrown;
  }

  /** How that loop goes on after some checks. */
  pollOptions(context: TriggerContext, before: ChecksBefore): PollOptions {
    const { pokeInterval = '60s', exponentialBackoff = false, maxWait } = this.args;
    const until = new Date(context.sensorStartedAt.getTime() + this.timeoutMs());
    const longest = maxWait === undefined ? {} : { maxInterval: maxWait };
    return { interval: pokeInterval, exponentialBackoff, until, ...longest, ...before };
  }

  /** What the platform must know of it. */
  sensorSettings() {
    return {
      timeoutMs: this.timeoutMs(),
      softFail: this.args.softFail ?? false,
      mode: this.args.mode ?? 'defer',
    } as const;
  }

  private async pokeUntilDone(context: Context): Promise<Result | undefined> {
    return (await context.poll(() => this.check(context), this.pollOptions(context, NO_CHECKS))).xcom;
  }

  /** The first turn of the loop; where the loop would sleep, the task waits elsewhere. */
  private async pokeOnce(context: Context, before: ChecksBefore): Promise<Result | undefined> {
    let hasFailed = false;
    const host: PollHost = {
      log: context.log,
      now: () => context.now(),
      onPoll: (outcome) => {
        hasFailed = outcome === 'failure';
      },
      sleep: async (waitMs) => {
        const failuresBefore = hasFailed ? before.failuresBefore + 1 : 0;
        const kwargs = { checksBefore: before.checksBefore + 1, failuresBefore };
        if (this.args.mode !== 'reschedule') this.defer(this.waiting(context, kwargs));
        const at = new Date(context.now().getTime() + waitMs);
        throw new TaskRescheduled(at, { methodName: 'executeRescheduled', kwargs });
      },
    };
    return (await poll(() => this.check(context), this.pollOptions(context, before), host)).xcom;
  }

  private waiting(context: TriggerContext, before: ChecksBefore) {
    const trigger = this.waitTrigger(context, before);
    // SensorTrigger keeps the time itself and has a last look at its end; the platform is the net below it.
    const graceMs = trigger instanceof SensorTrigger ? 60_000 : 0;
    return {
      trigger,
      methodName: 'executeComplete',
      timeout: { milliseconds: this.remainingMs(context) + graceMs },
      onTimeout: this.args.softFail ? 'skip' : 'fail',
    } as const;
  }

  private async failingSoftly<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      const error = this.failure(thrown);
      if (this.args.softFail && TaskFailed.isInstance(error)) throw new TaskSkipped(error.message);
      throw error;
    }
  }

  private remainingMs(context: TriggerContext): number {
    return Math.max(0, context.sensorStartedAt.getTime() + this.timeoutMs() - context.now().getTime());
  }

  private timeoutMs(): number {
    return durationMs(this.args.timeout ?? '7d');
  }
}

/** How far the loop has got where it began; it goes on elsewhere from there. */
export interface ChecksBefore {
  readonly checksBefore: number;
  /** Failures in a row, all of which may pass. */
  readonly failuresBefore: number;
}

const NO_CHECKS: ChecksBefore = { checksBefore: 0, failuresBefore: 0 };

/** What a template gave that cannot be stored, such as nothing or a RegExp, is rendered again in the triggerer. */
function isStorable([path, value]: RenderedValue): boolean {
  try {
    serialize([path, value]);
    return true;
  } catch {
    return false;
  }
}
