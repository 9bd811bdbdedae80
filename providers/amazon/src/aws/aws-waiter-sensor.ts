import { BaseSensor, type PokeResult, TaskFailed, type TriggerContext } from '@windhover/core';
import { AwsHook } from './aws-hook.ts';
import { type AwsOptions, awsOptionsOf } from './aws-options.ts';
import { type AwsWaiter, describeHandle, lookAtWork } from './aws-waiter.ts';

/**
 * Waits for work of an AWS service that somebody else has started. Its result is the state in which the work has ended;
 * work that failed fails the sensor. It cancels nothing: the work is not its own.
 */
export abstract class AwsWaiterSensor<Args extends object, Client = unknown, Handle = string> extends BaseSensor<
  string,
  Args & AwsOptions
> {
  protected abstract readonly waiter: AwsWaiter<Client, Handle>;

  /** Which work, from the arguments. */
  protected abstract handle(): Handle;

  async poke(context: TriggerContext): Promise<PokeResult<string>> {
    const { name, service } = this.waiter;
    const hook = new AwsHook(context, awsOptionsOf(this.args as AwsOptions), service);
    const ended = await lookAtWork(this.waiter, await hook.client(), this.handle());
    if (!ended) return { isDone: false };
    const { outcome, state, reason } = ended;
    if (outcome === 'success') return { isDone: true, xcom: state };
    throw new TaskFailed(`${name} ${describeHandle(this.handle())} ended as ${state}${reason ? `: ${reason}` : '.'}`);
  }
}
