import {
  BaseTrigger,
  type ChecksBefore,
  type Duration,
  nextWaitMs,
  type PollOptions,
  TaskFailed,
  TaskFailedEvent,
  TaskSkippedEvent,
  TaskSuccessEvent,
  type TriggerScope,
} from '@windhover/core';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import type { PrefixState } from './prefix-state.ts';
import { lookForQuiet, type QuietPrefix } from './quiet-prefix.ts';
import { S3Hook } from './s3-hook.ts';

export interface S3KeysUnchangedTriggerKwargs extends AwsOptions, QuietPrefix, ChecksBefore {
  readonly interval: Duration;
  readonly exponentialBackoff?: boolean;
  readonly maxInterval?: Duration;
  readonly softFail?: boolean;
  /** What the worker saw; later looks are kept in the checkpoint. */
  readonly state?: PrefixState;
}

/** Waits until nothing below a prefix has changed for some time, and ends the task. */
export class S3KeysUnchangedTrigger extends BaseTrigger<never, S3KeysUnchangedTriggerKwargs> {
  static override readonly classpath = '@windhover/provider-amazon/s3#S3KeysUnchangedTrigger';

  async *run(scope: TriggerScope): AsyncGenerator<TaskSuccessEvent | TaskFailedEvent | TaskSkippedEvent> {
    const { interval, exponentialBackoff = false, maxInterval, softFail, checksBefore, failuresBefore } = this.kwargs;
    const longest = maxInterval === undefined ? {} : { maxInterval };
    const options: PollOptions = { interval, exponentialBackoff, checksBefore, failuresBefore, ...longest };
    const hook = new S3Hook(scope, awsOptionsOf(this.kwargs));
    try {
      if (checksBefore > 0) await scope.sleep(nextWaitMs(options, checksBefore - 1, scope.now()));
      const look = async () => {
        const before = scope.checkpoint.load<PrefixState>() ?? this.kwargs.state;
        const { state, isQuiet } = await lookForQuiet(hook, this.kwargs, before, scope.now());
        if (state.digest !== before?.digest) await scope.checkpoint.save(state);
        return isQuiet ? state.count : undefined;
      };
      yield new TaskSuccessEvent(await scope.poll(look, options));
    } catch (error) {
      if (!TaskFailed.isInstance(error)) throw error;
      yield softFail ? new TaskSkippedEvent(error.message) : new TaskFailedEvent(error);
    }
  }
}
