import {
  applyRendered,
  bindArgs,
  type LoadedTask,
  render,
  type TaskReference,
  type TriggerContext,
  type TriggerScope,
  type TriggerTask,
} from '@windhover/core';
import { loadTask } from '../loader/load-task.ts';
import type { TriggerSession } from './trigger-session.ts';
import { TriggerTaskError } from './trigger-task-error.ts';

/** The task that waits for this trigger, from its DAG file, with its arguments rendered. */
export async function loadOwnTask(
  session: TriggerSession,
  scope: TriggerScope,
  reference: TaskReference,
): Promise<LoadedTask> {
  const { owner, lease, services } = session;
  // The lease is for this one's facts and secrets only.
  if (owner.type !== 'task' || !isSame(owner.task.key, reference)) {
    throw new TriggerTaskError(lease.triggerId, reference, owner);
  }
  const { dagFile: file, versionHash } = owner.task;
  const { dagId, taskId } = reference;
  const operator = await loadTask(services.projectRoot, { file, dagId, taskId, versionHash });
  const context = triggerContext(owner.task, scope);
  // What the worker has rendered stays as it was; the rest is rendered here.
  const args = applyRendered(operator.args, reference.rendered);
  return { operator: bindArgs(operator, await render(args, context)), context };
}

function isSame(key: TriggerTask['key'], reference: TaskReference): boolean {
  return (
    key.dagId === reference.dagId &&
    key.runId === reference.runId &&
    key.taskId === reference.taskId &&
    key.mapIndex === reference.mapIndex
  );
}

function triggerContext(task: TriggerTask, scope: TriggerScope): TriggerContext {
  return {
    ...task.key,
    versionHash: task.versionHash,
    tryNumber: task.tryNumber,
    attempt: task.attempt,
    logicalDate: new Date(task.logicalDate),
    dataInterval: { start: new Date(task.dataInterval.start), end: new Date(task.dataInterval.end) },
    runType: task.runType,
    params: task.params,
    conf: task.conf,
    sensorStartedAt: new Date(task.sensorStartedAt),
    signals: task.signals,
    log: scope.log,
    get signal() {
      return scope.signal;
    },
    xcom: scope.xcom,
    now: scope.now,
    connection: scope.connection,
    variable: scope.variable,
    sendSignal: scope.sendSignal,
    runStates: scope.runStates,
  };
}
