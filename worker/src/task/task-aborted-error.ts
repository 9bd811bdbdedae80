import { WindhoverError } from '@windhover/core';

/** The reason of `context.signal` when a task is to end and its time is not over: it was stopped, or its worker ends. */
export class TaskAbortedError extends WindhoverError {
  readonly code = 'E_TASK_ABORTED';
  readonly taskId: string;

  constructor(taskId: string, reason: string, options?: ErrorOptions) {
    super(
      `Task "${taskId}" is to end now: ${reason}. Let this error through; what became of the task is decided.`,
      options,
    );
    this.taskId = taskId;
  }
}
