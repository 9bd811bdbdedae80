import { createHash } from 'node:crypto';
import { canonicalize, type TriggerContext } from '@windhover/core';
import type { BigQueryJobConfiguration } from './job.ts';

/**
 * The name of a job is made from what it is for, so that whoever comes again finds it: the work, the task and its date,
 * and unless `forceRerun` is off the try as well.
 */
export function nameJob(
  context: TriggerContext,
  configuration: BigQueryJobConfiguration,
  options: { readonly jobId: string | undefined; readonly forceRerun: boolean },
): string {
  const { dagId, taskId, mapIndex, logicalDate } = context;
  const task = mapIndex < 0 ? taskId : `${taskId}_${mapIndex}`;
  const base = options.jobId ?? `windhover_${dagId}_${task}_${logicalDate.toISOString()}`;
  const { runId, attempt, tryNumber } = context;
  const work = options.forceRerun ? [configuration, runId, attempt, tryNumber] : [configuration];
  const hash = createHash('sha256').update(canonicalize(work)).digest('hex').slice(0, 32);
  // BigQuery allows letters, digits, - and _, 1,024 of them.
  return `${base.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 980)}_${hash}`;
}

/** Labels say whose job it is, for people and bills, and tell our own submission from another one of the same name. */
export function jobLabels(context: TriggerContext, submission: string): Record<string, string> {
  return {
    'windhover-dag': labelValue(context.dagId),
    'windhover-task': labelValue(context.taskId),
    [SUBMISSION_LABEL]: submission,
  };
}

export const SUBMISSION_LABEL = 'windhover-submission';

/** BigQuery allows 63 lower-case letters, digits, - and _. */
function labelValue(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '_')
    .slice(0, 63);
}
