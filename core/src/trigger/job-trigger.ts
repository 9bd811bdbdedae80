import type { SerializableKwargs } from '../serde/serializable.ts';
import { BaseTrigger } from './base-trigger.ts';
import type { KillReason, TriggerScope } from './trigger-scope.ts';

/**
 * A trigger that waits for paid work it owns. It does not compile without `cancel`, because a killed task must not
 * leave its job running.
 *
 * `kwargs.handle` is what the outside system calls the job; an operator with several jobs passes a handle that names
 * all of them.
 */
export abstract class JobTrigger<
  Handle,
  Event,
  Kwargs extends SerializableKwargs<Kwargs> & { readonly handle: Handle },
> extends BaseTrigger<Event, Kwargs> {
  /** Never: a job belongs to one task. */
  static override readonly shareable: false = false;

  /** Cancels the job. It may be called twice, and for a job that has ended or is unknown: both are no error. */
  abstract cancel(handle: Handle, scope: TriggerScope, reason: KillReason): Promise<void>;

  override async onKill(scope: TriggerScope, reason: KillReason): Promise<void> {
    await this.cancel(this.kwargs.handle, scope, reason);
  }
}
