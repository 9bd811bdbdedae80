import type { CallbackContext, DagCallbackContext, StartedCallback, TaskInstanceKey } from '@windhover/core';
import { loadDag, loadTask } from '../loader/load-task.ts';
import { type RunContextParts, runContext } from '../task/run-context.ts';
import { CallbackRemovedError } from './callback-removed-error.ts';
import { describeCallback } from './describe-callback.ts';

/** Finds the function in its DAG file and calls it with the context of its kind. */
export async function enterCallback(
  projectRoot: string,
  started: StartedCallback,
  parts: Omit<RunContextParts, 'run'>,
): Promise<void> {
  const { callback, dagFile: file, facts } = started;
  const { versionHash } = facts;
  const removed = () => new CallbackRemovedError(describeCallback(callback), file, versionHash);
  if (callback.type === 'task') {
    const { dagId, taskId } = callback.key;
    const { callbacks } = await loadTask(projectRoot, { file, dagId, taskId, versionHash });
    const call = callbacks[callback.name];
    if (!call) throw removed();
    parts.signal.throwIfAborted();
    return await call(taskCallbackContext(started, callback.key, parts));
  }
  const { options } = await loadDag(projectRoot, { file, dagId: callback.dagId, versionHash });
  const call = callback.type === 'dag' ? options[callback.name] : options.deadlines?.[callback.position]?.callback;
  if (!call) throw removed();
  parts.signal.throwIfAborted();
  return await call(dagCallbackContext(started, callback, parts));
}

function taskCallbackContext(
  { state, error, facts }: StartedCallback,
  key: TaskInstanceKey,
  parts: Omit<RunContextParts, 'run'>,
): CallbackContext {
  return {
    ...runContext({ ...parts, run: key }),
    taskId: key.taskId,
    mapIndex: key.mapIndex,
    tryNumber: facts.tryNumber,
    attempt: facts.attempt,
    sensorStartedAt: facts.sensorStartedAt === undefined ? parts.now() : new Date(facts.sensorStartedAt),
    signals: facts.signals ?? {},
    state: state as CallbackContext['state'],
    ...(error && { error }),
  };
}

function dagCallbackContext(
  { state, error }: StartedCallback,
  run: RunContextParts['run'],
  parts: Omit<RunContextParts, 'run'>,
): DagCallbackContext {
  return {
    ...runContext({ ...parts, run }),
    state: state as DagCallbackContext['state'],
    ...(error && { reason: error.message }),
  };
}
