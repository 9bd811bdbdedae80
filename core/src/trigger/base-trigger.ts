import { brandPrototype, hasBrand } from '../brand.ts';
import { ownClasspath } from '../classpath/own-classpath.ts';
import type { SerializableKwargs } from '../serde/serializable.ts';
import type { OPAQUE } from '../template/template.ts';
import type { TaskEndEvent, TriggerEvent } from './trigger-event.ts';
import type { ExitReason, KillReason, TriggerScope } from './trigger-scope.ts';

/**
 * A wait: small, asynchronous, serializable, one of many thousands in a process.
 *
 * `new T(kwargs)` takes one plain object; `serialize` gives it back, so that the trigger can be made again in another
 * process. It may be stopped and made again at any time; what must survive that goes into `scope.checkpoint`.
 *
 * ```ts
 * class AcmeJobDoneTrigger extends BaseTrigger<{ status: string }, { jobId: string }> {
 *   static override readonly classpath = 'windhover-provider-acme#AcmeJobDoneTrigger';
 *   async *run(scope: TriggerScope) {
 *     const status = await scope.poll(() => fetchStatus(this.kwargs.jobId), { interval: '10s' });
 *     yield new TriggerEvent({ status });
 *   }
 * }
 * ```
 */
export abstract class BaseTrigger<Event, Kwargs extends SerializableKwargs<Kwargs>> {
  /** The public export under which this class is found again, own and not inherited. */
  declare static readonly classpath: string;
  /**
   * True lets equal triggers of many tasks run as one. Never for triggers that own outside work or keep checkpoints.
   * Default: false.
   */
  static readonly shareable: boolean = false;

  declare readonly [OPAQUE]: true;
  readonly kwargs: Kwargs;

  static {
    brandPrototype(BaseTrigger.prototype, 'BaseTrigger');
  }

  constructor(kwargs: Kwargs) {
    this.kwargs = kwargs;
  }

  static isInstance(value: unknown): value is BaseTrigger<unknown, any> {
    return hasBrand(value, 'BaseTrigger');
  }

  /**
   * Waits, and yields what happened. A task takes the first event; a watcher takes all. To end without an event is an
   * error. Must give way to others: every wait goes through `scope` or another promise.
   */
  abstract run(scope: TriggerScope): AsyncGenerator<TriggerEvent<Event> | TaskEndEvent, void, void>;

  /** Classpath and kwargs to make this trigger again. Default: its own classpath and the kwargs it was made with. */
  serialize(): [classpath: string, kwargs: Kwargs] {
    return [ownClasspath(this.constructor as new (kwargs: never) => unknown), this.kwargs];
  }

  /**
   * Nothing can happen before: until then the wait is a row, without memory or lease. Relative to the deferral or an
   * instant. Default: undefined, it runs at once.
   */
  get notBefore(): NotBefore | undefined {
    return undefined;
  }

  /** The task will not come back: cancel outside work. At least once, so idempotent. Never on a restart. */
  async onKill(_scope: TriggerScope, _reason: KillReason): Promise<void> {}

  /** After `run` ended, for any reason, in this process: close what was opened. */
  async cleanup(_reason: ExitReason): Promise<void> {}
}

export type NotBefore = Date | { readonly afterMs: number };
