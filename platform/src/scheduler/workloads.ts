import { type CallbackWorkload, type TaskWorkload, type TestConnectionWorkload, taskWorkloadId } from '@windhover/core';
import type { ClaimedCallback } from '../store/callbacks.ts';
import type { TaskInstanceRow } from '../task-instances/task-instance-row.ts';
import type { OwnedRun } from './owned-run.ts';

/** Workers on this machine are known by their IPC channel: they need no token. */
const NO_TOKEN = '';

export function taskWorkload(run: OwnedRun, row: TaskInstanceRow): TaskWorkload {
  const task = run.version.tasks.get(row.taskId);
  return {
    type: 'task',
    id: taskWorkloadId(String(row.id), row.epoch),
    token: NO_TOKEN,
    priority: run.version.weights.get(row.taskId) ?? 1,
    queue: task?.queue ?? 'default',
    executorConfig: task?.executorConfig ?? {},
    taskInstanceId: String(row.id),
    epoch: row.epoch,
    key: { dagId: run.dagId, runId: run.runId, taskId: row.taskId, mapIndex: row.mapIndex },
    dagFile: run.dagFile,
  };
}

/** Callbacks go before tasks: somebody is to be told. */
export function callbackWorkload({ id, dagFile, queue, attempts }: ClaimedCallback): CallbackWorkload {
  return {
    type: 'callback',
    // A callback whose process died runs again under another name, which is also that of its log's writer.
    id: `callback:${id}:${attempts}`,
    token: NO_TOKEN,
    priority: Number.MAX_SAFE_INTEGER,
    queue: queue ?? 'default',
    executorConfig: {},
    callbackId: String(id),
    dagFile,
  };
}

export function testConnectionWorkload(testId: string): TestConnectionWorkload {
  return {
    type: 'testConnection',
    id: `testConnection:${testId}`,
    token: NO_TOKEN,
    priority: Number.MAX_SAFE_INTEGER,
    queue: 'default',
    executorConfig: {},
    testId,
  };
}

export type WorkloadName =
  | { readonly type: 'task'; readonly id: number; readonly epoch: number }
  | { readonly type: 'callback' | 'testConnection'; readonly id: string };

/** What a workload's id says. */
export function parseWorkloadId(workloadId: string): WorkloadName {
  const [type, id, epoch] = workloadId.split(':') as [WorkloadName['type'], string, string];
  return type === 'task' ? { type, id: Number(id), epoch: Number(epoch) } : { type, id };
}
