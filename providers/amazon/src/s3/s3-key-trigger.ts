import {
  BaseTrigger,
  type ChecksBefore,
  type Duration,
  nextWaitMs,
  type PollOptions,
  pollIntervalMs,
  TaskSuccessEvent,
  type TriggerScope,
} from '@windhover/core';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import { FolderWaits } from './folder-waits.ts';
import { S3Hook } from './s3-hook.ts';
import { findFirst, foundUrl, type S3Target } from './s3-target.ts';

export interface S3KeyTriggerKwargs extends AwsOptions, ChecksBefore {
  readonly targets: readonly S3Target[];
  readonly interval: Duration;
  readonly exponentialBackoff?: boolean;
  readonly maxInterval?: Duration;
}

/**
 * Waits until something is there for each target, and ends the task with what was found. Equal ones of many tasks are
 * one; those for different keys of a folder share its listing.
 */
export class S3KeyTrigger extends BaseTrigger<never, S3KeyTriggerKwargs> {
  static override readonly classpath = '@windhover/provider-amazon/s3#S3KeyTrigger';
  static override readonly shareable = true;

  async *run(scope: TriggerScope): AsyncGenerator<TaskSuccessEvent> {
    const { targets, checksBefore, interval, exponentialBackoff = false, maxInterval, failuresBefore } = this.kwargs;
    const longest = maxInterval === undefined ? {} : { maxInterval };
    const options: PollOptions = { interval, exponentialBackoff, checksBefore, failuresBefore, ...longest };
    const aws = awsOptionsOf(this.kwargs);
    const hook = new S3Hook(scope, aws);
    const folders = targets.map((target) =>
      target.match === 'exact' ? new FolderWaits(target, pollIntervalMs(options, 0), aws) : null,
    );
    const leave = folders.map((folder) => folder?.join());
    try {
      // The worker has just looked; looking again at once would cost a request and find the same.
      if (checksBefore > 0) await scope.sleep(nextWaitMs(options, checksBefore - 1, scope.now()));
      yield new TaskSuccessEvent(await scope.poll(() => lookForAll(scope, hook, targets, folders), options));
    } finally {
      for (const each of leave) each?.();
    }
  }
}

async function lookForAll(
  scope: TriggerScope,
  hook: S3Hook,
  targets: readonly S3Target[],
  folders: readonly (FolderWaits | null)[],
): Promise<readonly string[] | undefined> {
  const urls: string[] = [];
  for (const [index, target] of targets.entries()) {
    const listed = await folders[index]?.keys(hook, scope);
    const found = listed ? (listed.has(target.key) ? target : undefined) : await findFirst(hook, target);
    if (!found) return undefined;
    urls.push(foundUrl(target, found));
  }
  return urls;
}
