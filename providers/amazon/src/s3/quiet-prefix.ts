import { type Duration, durationMs, TaskFailed } from '@windhover/core';
import { observePrefix, type PrefixState } from './prefix-state.ts';
import type { S3Hook } from './s3-hook.ts';

/** When a prefix counts as quiet. */
export interface QuietPrefix {
  readonly bucketName: string;
  readonly prefix: string;
  readonly inactivityPeriod: Duration;
  readonly minObjects: number;
  readonly allowDelete: boolean;
}

/** One look, the same in a triggerer and on a worker. */
export async function lookForQuiet(
  hook: S3Hook,
  quiet: QuietPrefix,
  before: PrefixState | undefined,
  now: Date,
): Promise<{ readonly state: PrefixState; readonly isQuiet: boolean }> {
  const { bucketName, prefix, inactivityPeriod, minObjects, allowDelete } = quiet;
  const pages = hook.listPages({ bucketName, prefix });
  const { state, deleted } = await observePrefix(pages, before, { now, keepsKeys: !allowDelete });
  if (deleted > 0)
    throw new TaskFailed(
      `${deleted} objects below s3://${bucketName}/${prefix} were deleted between two looks. Set allowDelete if they may be.`,
    );
  const quietMs = now.getTime() - state.changedAt.getTime();
  return { state, isQuiet: state.count >= minObjects && quietMs >= durationMs(inactivityPeriod) };
}
