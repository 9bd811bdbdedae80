import type { Json } from '../json.ts';
import type { TaskInstanceKey } from '../task-instance/task-instance-key.ts';

/**
 * Something to run on the worker side. Plain JSON: it travels through queues. Its `id` names this hand-off and no
 * other: a resumed or retried task comes with another id.
 */
export type Workload = TaskWorkload | CallbackWorkload | TestConnectionWorkload;

interface WorkloadBase {
  readonly id: string;
  /** The start token: it can only start this hand-off, and does not expire, because queues may be long. */
  readonly token: string;
  /** Higher goes first. */
  readonly priority: number;
  readonly queue: string;
  readonly executorConfig: Readonly<Record<string, Json>>;
}

/** A task to start or to resume; the answer to `start` says which. An executor need not know. */
export interface TaskWorkload extends WorkloadBase {
  readonly type: 'task';
  readonly taskInstanceId: string;
  readonly epoch: number;
  readonly key: TaskInstanceKey;
  /** The DAG's file, relative to the project's root. */
  readonly dagFile: string;
}

export interface CallbackWorkload extends WorkloadBase {
  readonly type: 'callback';
  readonly callbackId: string;
  readonly dagFile: string;
}

export interface TestConnectionWorkload extends WorkloadBase {
  readonly type: 'testConnection';
  readonly testId: string;
}

/** The id of a task's hand-off: a late message about an older one can never be taken for this one. */
export function taskWorkloadId(taskInstanceId: string, epoch: number): string {
  return `task:${taskInstanceId}:${epoch}`;
}
