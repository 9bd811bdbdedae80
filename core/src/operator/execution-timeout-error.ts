import { WindhoverError } from '../windhover-error.ts';

/** The `executionTimeout` of a task is over: one deadline for the try as a whole, waits included. */
export class ExecutionTimeoutError extends WindhoverError {
  readonly code = 'E_EXECUTION_TIMEOUT';
  override readonly isRetryable = true;
  readonly taskId: string;
  readonly timeoutMs: number;

  constructor(taskId: string, timeoutMs: number) {
    super(`Task "${taskId}" did not end within its executionTimeout of ${timeoutMs} ms, its waits included.`);
    this.taskId = taskId;
    this.timeoutMs = timeoutMs;
  }
}
