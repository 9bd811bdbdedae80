import { TaskFailed } from '@windhover/core';
import type { GCSObject } from './gcs-hook.ts';

/** When uploads count as complete. */
export interface UploadSessionRules {
  readonly inactivityMs: number;
  readonly minObjects: number;
  readonly allowDelete: boolean;
}

/**
 * Whether nothing has been written for long enough, by the times the objects themselves carry. So there is nothing to
 * remember between two looks, a restart changes nothing, and an object that is written over counts as activity.
 *
 * Only a deletion leaves no time behind; where it is forbidden, `seenBefore` are the names of the last look.
 */
export function isUploadComplete(
  objects: readonly GCSObject[],
  rules: UploadSessionRules,
  now: Date,
  seenBefore: readonly string[],
): boolean {
  const names = new Set(objects.map(({ name }) => name));
  const gone = rules.allowDelete ? [] : seenBefore.filter((name) => !names.has(name));
  if (gone.length > 0) {
    throw new TaskFailed(
      `${gone.length} object(s) were deleted while their upload was awaited: ${gone.slice(0, 5).join(', ')}. ` +
        'Set allowDelete if that is normal.',
    );
  }
  if (objects.length < rules.minObjects) return false;
  const lastAt = Math.max(...objects.map(({ updatedAt }) => updatedAt.getTime()));
  return now.getTime() - lastAt >= rules.inactivityMs;
}
