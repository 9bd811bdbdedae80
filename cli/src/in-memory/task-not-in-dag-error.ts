import { WindhoverError } from '@windhover/core';
import { nearestFirst } from './nearest-first.ts';

export class TaskNotInDagError extends WindhoverError {
  readonly code = 'E_TASK_NOT_IN_DAG';
  readonly dagId: string;
  readonly taskId: string;
  /** The nearest first. */
  readonly available: readonly string[];

  constructor(dagId: string, taskId: string, available: readonly string[]) {
    const sorted = nearestFirst(taskId, available);
    super(`DAG "${dagId}" has no task "${taskId}". Its tasks: ${sorted.join(', ') || 'none'}.`);
    this.dagId = dagId;
    this.taskId = taskId;
    this.available = sorted;
  }
}
