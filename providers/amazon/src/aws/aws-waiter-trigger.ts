import { JobTrigger, TriggerEvent, type TriggerScope } from '@windhover/core';
import { type AwsWaiter, type AwsWaiterEvent, type AwsWaiterKwargs, cancelWork, waitForWork } from './aws-waiter.ts';

/**
 * Waits for work of an AWS service that the task owns, and ends that work when the task is killed. A trigger of a
 * service is its classpath and its waiter:
 *
 * ```ts
 * class BatchJobTrigger extends AwsWaiterTrigger {
 *   static override readonly classpath = '@windhover/provider-amazon/batch#BatchJobTrigger';
 *   protected readonly waiter = batchJobWaiter;
 * }
 * ```
 */
export abstract class AwsWaiterTrigger<Handle = string> extends JobTrigger<any, AwsWaiterEvent, AwsWaiterKwargs<any>> {
  protected abstract readonly waiter: AwsWaiter<any, Handle>;

  // Declared, not inherited: a parameter cannot say that it survives storage, but its handle can have its type.
  constructor(kwargs: AwsWaiterKwargs<Handle>) {
    super(kwargs);
  }

  async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<AwsWaiterEvent>> {
    // The limit counts from the deferral, so that a restart of the triggerer does not begin the wait anew.
    yield new TriggerEvent(await waitForWork(this.waiter, this.kwargs, scope, scope.createdAt));
  }

  async cancel(_handle: Handle, scope: TriggerScope): Promise<void> {
    await cancelWork(this.waiter, this.kwargs, scope);
  }
}
