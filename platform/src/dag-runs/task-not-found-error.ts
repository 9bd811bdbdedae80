import { WindhoverError } from '@windhover/core';

export class TaskNotFoundError extends WindhoverError {
  readonly code = 'E_TASK_NOT_FOUND';
  readonly dagId: string;
  readonly runId: string;
  readonly taskId: string;

  constructor(dagId: string, runId: string, taskId: string, known: readonly string[]) {
    const some = `${known.slice(0, 10).join(', ')}${known.length > 10 ? ', …' : ''}`;
    super(`Run "${runId}" of DAG "${dagId}" has no task "${taskId}". It has: ${some || 'none'}.`);
    this.dagId = dagId;
    this.runId = runId;
    this.taskId = taskId;
  }
}
