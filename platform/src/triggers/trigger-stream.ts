import type { LogStream } from '@windhover/core';
import type { HeldTrigger } from '../store/triggers.ts';

/** What a trigger writes appears in the log of the attempt that waits for it; without a task it has a log of its own. */
export function streamOf({ triggerId, dagId, runId, taskId, mapIndex, attempt }: HeldTrigger): LogStream {
  return dagId === null ? { type: 'trigger', triggerId } : { type: 'task', dagId, runId, taskId, mapIndex, attempt };
}
