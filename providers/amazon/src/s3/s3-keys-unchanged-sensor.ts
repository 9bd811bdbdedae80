import {
  BaseSensor,
  type BaseTrigger,
  type ChecksBefore,
  type Context,
  type Duration,
  InvalidOptionError,
  type OperatorOptions,
  type PokeResult,
  type SensorOptions,
  TaskRescheduled,
  type TemplatedArgs,
  type TriggerContext,
  type TriggerEvent,
} from '@windhover/core';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import type { PrefixState } from './prefix-state.ts';
import { lookForQuiet, type QuietPrefix } from './quiet-prefix.ts';
import { S3Hook } from './s3-hook.ts';
import { S3KeysUnchangedTrigger } from './s3-keys-unchanged-trigger.ts';

export interface S3KeysUnchangedSensorArgs extends AwsOptions {
  readonly bucketName: string;
  readonly prefix: string;
  /** For so long nothing may be written, written again or deleted. Default: one hour. */
  readonly inactivityPeriod?: Duration;
  /** Default: 1. */
  readonly minObjects?: number;
  /** False fails when an object vanishes; true begins the quiet time anew. Default: true. */
  readonly allowDelete?: boolean;
}

/** Waits until nothing below a prefix has changed for some time. Its result is the number of objects there. */
export class S3KeysUnchangedSensor extends BaseSensor<number, S3KeysUnchangedSensorArgs> {
  /** What the last look saw. Of one run of the task: a task runs on a view of its operator. */
  private state: PrefixState | undefined;

  constructor(options: OperatorOptions & SensorOptions & TemplatedArgs<S3KeysUnchangedSensorArgs>) {
    super(options);
    const { minObjects } = options;
    if (typeof minObjects === 'number' && !(Number.isInteger(minObjects) && minObjects >= 0))
      throw new InvalidOptionError(`Task "${this.taskId}"`, 'minObjects', `${minObjects} is not a whole number`);
  }

  async poke(context: TriggerContext): Promise<PokeResult<number>> {
    const hook = new S3Hook(context, awsOptionsOf(this.args));
    const { state, isQuiet } = await lookForQuiet(hook, this.quiet(), this.state, context.now());
    this.state = state;
    return { isDone: isQuiet, xcom: state.count };
  }

  override async execute(context: Context): Promise<number | undefined> {
    return this.keepingState(context, () => super.execute(context));
  }

  override async executeRescheduled(
    context: Context,
    event: TriggerEvent<unknown>,
    kwargs: ChecksBefore,
  ): Promise<number | undefined> {
    this.state = await context.xcom.pull(context.taskId, { key: STATE_KEY, mapIndex: context.mapIndex });
    return this.keepingState(context, () => super.executeRescheduled(context, event, kwargs));
  }

  protected override waitTrigger(_context: TriggerContext, before: ChecksBefore): BaseTrigger<any, any> {
    const { pokeInterval = '60s', exponentialBackoff, maxWait, softFail } = this.args;
    return new S3KeysUnchangedTrigger({
      ...awsOptionsOf(this.args),
      ...this.quiet(),
      interval: pokeInterval,
      ...(exponentialBackoff ? { exponentialBackoff } : {}),
      ...(maxWait === undefined ? {} : { maxInterval: maxWait }),
      ...(softFail ? { softFail } : {}),
      ...(this.state ? { state: this.state } : {}),
      ...before,
    });
  }

  /** Between two looks a rescheduled task exists only in the database. */
  private async keepingState<T>(context: Context, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (TaskRescheduled.isInstance(error) && this.state) await context.xcom.push(STATE_KEY, this.state);
      throw error;
    }
  }

  private quiet(): QuietPrefix {
    const { bucketName, prefix, inactivityPeriod = '1h', minObjects = 1, allowDelete = true } = this.args;
    return { bucketName, prefix, inactivityPeriod, minObjects, allowDelete };
  }
}

const STATE_KEY = 's3_keys_unchanged';
