import {
  BaseOperator,
  type Context,
  type Duration,
  JobFailedError,
  type KillReason,
  type TriggerEvent,
} from '@windhover/core';
import { AwsHook } from './aws-hook.ts';
import { type AwsOptions, awsOptionsOf } from './aws-options.ts';
import {
  type AwsWaiter,
  type AwsWaiterEvent,
  type AwsWaiterKwargs,
  cancelWork,
  describeHandle,
  waitForWork,
} from './aws-waiter.ts';
import type { AwsWaiterTrigger } from './aws-waiter-trigger.ts';

/** What every operator takes that starts work in AWS and waits for it. */
export interface AwsJobArgs extends AwsOptions {
  /** False ends the task as soon as the work has begun; nothing cancels it then. Default: true. */
  readonly waitForCompletion?: boolean;
  /** Waits in the triggerer and not on a worker. Default: true. */
  readonly deferrable?: boolean;
  /** Between two looks. Default: that of the service. */
  readonly waiterDelay?: Duration;
  /** How many looks at most. Default: that of the service. */
  readonly waiterMaxAttempts?: number;
}

/**
 * Starts work in AWS, once for each try that needs it, and waits until it has ended. What the service calls the work is
 * stored before anything else, so that neither a lost worker nor a retry starts it twice; a kill ends it.
 */
export abstract class AwsJobOperator<
  Result,
  Args extends object,
  Client = unknown,
  Handle = string,
> extends BaseOperator<Result, Args & AwsJobArgs> {
  protected abstract readonly waiter: AwsWaiter<Client, Handle>;
  protected abstract readonly trigger: new (
    kwargs: AwsWaiterKwargs<Handle>,
  ) => AwsWaiterTrigger<Handle>;
  private submission: Promise<Handle> | undefined;

  /** Starts the work and answers its handle. Called inside a step; `token` is the same if it is called again. */
  protected abstract submit(client: Client, context: Context, token: string): Promise<Handle>;
  /** The result of the task; `isDone` is false where it did not wait. */
  protected abstract complete(handle: Handle, client: () => Promise<Client>, isDone: boolean): Result | Promise<Result>;

  async execute(context: Context): Promise<Result> {
    const { waitForCompletion = true, deferrable = true } = this.args;
    const hook = this.hook(context);
    // Kept before the work begins: a service that knows the token starts it once, even if we are lost in between.
    const token = await context.step('token', () => this.chooseToken(() => hook.client()));
    this.submission = context.step('submit', async () => this.submit(await hook.client(), context, token));
    const handle = await this.submission;
    context.log.info(`Started ${this.waiter.name} ${describeHandle(handle)}.`);
    if (!waitForCompletion) {
      this.submission = undefined;
      return this.complete(handle, () => hook.client(), false);
    }
    const kwargs = this.waiterKwargs(handle);
    if (deferrable)
      this.defer({
        trigger: new this.trigger(kwargs),
        resume: this.executeComplete,
        kwargs: { handle: handle as any },
      });
    return this.end(await waitForWork(this.waiter, kwargs, context, context.now()), handle, context);
  }

  async executeComplete(
    context: Context,
    event: TriggerEvent<AwsWaiterEvent>,
    { handle }: { handle: any },
  ): Promise<Result> {
    return this.end(event.payload, handle, context);
  }

  /** Also while the work is being submitted: then it is ended as soon as its handle is known. */
  override async onKill(context: Context, _reason: KillReason): Promise<void> {
    const handle = await this.submission?.catch(() => undefined);
    if (handle !== undefined) await cancelWork(this.waiter, this.waiterKwargs(handle), context);
  }

  /** Names this submission for services that take a token or a name. Default: a random UUID. */
  protected chooseToken(_client: () => Promise<Client>): string | Promise<string> {
    return crypto.randomUUID();
  }

  protected hook(context: Context): AwsHook<Client> {
    return new AwsHook(context, awsOptionsOf(this.args), this.waiter.service);
  }

  /** The arguments without those of the wait: what remains is the request. */
  protected request(): Args {
    const { awsConnId, regionName, verify, clientConfig, waitForCompletion, deferrable, ...rest } = this.args;
    const { waiterDelay, waiterMaxAttempts, ...request } = rest as typeof rest & AwsJobArgs;
    return request as unknown as Args;
  }

  private async end({ outcome, state, reason }: AwsWaiterEvent, handle: Handle, context: Context): Promise<Result> {
    this.submission = undefined;
    const { name } = this.waiter;
    if (outcome === 'failure')
      throw new JobFailedError(`${name} ${describeHandle(handle)} ended as ${state}${reason ? `: ${reason}` : '.'}`);
    return this.complete(handle, () => this.hook(context).client(), true);
  }

  private waiterKwargs(handle: Handle): AwsWaiterKwargs<Handle> {
    const { waiterDelay, waiterMaxAttempts } = this.args;
    return {
      handle,
      ...awsOptionsOf(this.args),
      ...(waiterDelay === undefined ? {} : { waiterDelay }),
      ...(waiterMaxAttempts === undefined ? {} : { waiterMaxAttempts }),
    };
  }
}
