import { TASK_INSTANCE_STATES } from '@windhover/core';
import { z } from 'zod';
import type { LocatedTaskInstance } from '../store/task-queries.ts';
import type { ApiServices } from './api.ts';
import { components, id, instant, named, storedError, wholeNumber } from './schemas.ts';

export const taskState = z.enum(TASK_INSTANCE_STATES);

export const taskInstanceSchema = named(
  'TaskInstance',
  z.object({
    dagId: id,
    runId: z.string(),
    taskId: id,
    mapIndex: z.int(),
    state: taskState,
    tryNumber: z.int(),
    maxTries: z.int(),
    attempt: z.int(),
    operatorName: z.string(),
    pool: z.string(),
    queue: z.string(),
    priorityWeight: z.number(),
    executor: z.string().nullable(),
    hostname: z.string().nullable(),
    pid: z.int().nullable(),
    scheduledAt: instant.nullable(),
    queuedAt: instant.nullable(),
    startedAt: instant.nullable(),
    deferredSince: instant.nullable(),
    resumeAt: instant.nullable(),
    deadlineAt: instant.nullable(),
    endedAt: instant.nullable(),
    runningMs: z.number(),
    queuedMs: z.number(),
    deferredMs: z.number(),
    error: storedError.nullable(),
    requestedAction: z.enum(['stop', 'clear']).nullable(),
  }),
);

export const taskParams = z.object({ dagId: z.string(), runId: z.string(), taskId: z.string() });

export const mapIndex = wholeNumber
  .min(-1)
  .default(-1)
  .register(components, { description: '−1 where the task is not mapped.' });
export const taskQuery = z.strictObject({ mapIndex });

/** Durations include the stretch that is under way. */
export function toTaskInstance(row: LocatedTaskInstance, versions: ApiServices['versions']): TaskInstanceView {
  const task = versions.get(row.versionId)?.tasks.get(row.taskId);
  const since = (instant: Date | null) => (instant ? Math.max(0, row.now.getTime() - instant.getTime()) : 0);
  return {
    ...row,
    maxTries: (task?.retries ?? 0) + 1,
    operatorName: task?.operatorName ?? '',
    runningMs: row.runningMs + since(row.runningSince),
    queuedMs: row.queuedMs + (row.state === 'queued' ? since(row.queuedAt) : 0),
    deferredMs: row.deferredMs + since(row.deferredSince),
  };
}

export type TaskInstanceView = z.output<typeof taskInstanceSchema>;
