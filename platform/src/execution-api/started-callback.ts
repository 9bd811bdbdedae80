import type { DagRunState, SerializedError, StartedCallback, TaskInstanceState } from '@windhover/core';
import { beginCallback, type StoredCallback } from '../store/callbacks.ts';
import { runFactsOf, type StartedTaskSource } from './started-task.ts';

/** Begins a callback, once: null when it was begun already. */
export async function startedCallback(source: StartedTaskSource, callbackId: string): Promise<StartedCallback | null> {
  const stored = await beginCallback(source.database, callbackId);
  if (!stored) return null;
  const { dagId, runId, dagFile, facts } = await runFactsOf(source, stored.dagRunId);
  const { state, error, reason, tryNumber, attempt } = stored.facts as unknown as CallbackFacts;
  return {
    token: '',
    dagFile,
    callback: addressOf(stored, dagId, runId),
    state,
    error: error ?? (reason !== undefined && state !== 'success' ? { name: 'DagRunError', message: reason } : null),
    facts: { ...facts, tryNumber: tryNumber ?? 1, attempt: attempt ?? 1, now: stored.now.toISOString() },
  };
}

/** What the outbox keeps of the transition that it was written with: a task has an error and tries, a run a reason. */
interface CallbackFacts {
  readonly state: TaskInstanceState | DagRunState;
  readonly error?: SerializedError | null;
  readonly reason?: string;
  readonly tryNumber?: number;
  readonly attempt?: number;
}

function addressOf(
  { callback, taskId, mapIndex }: StoredCallback,
  dagId: string,
  runId: string,
): StartedCallback['callback'] {
  const deadline = /^deadline:(\d+)$/.exec(callback);
  if (deadline) return { type: 'deadline', position: Number(deadline[1]), dagId, runId };
  if (taskId === null) return { type: 'dag', name: callback as 'onFailure' | 'onSuccess', dagId, runId };
  return {
    type: 'task',
    name: callback as 'onFailure' | 'onSuccess' | 'onRetry',
    key: { dagId, runId, taskId, mapIndex: mapIndex ?? -1 },
  };
}
