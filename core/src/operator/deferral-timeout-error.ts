import { WindhoverError } from '../windhover-error.ts';

/** The `timeout` of a deferral is over. */
export class DeferralTimeoutError extends WindhoverError {
  readonly code = 'E_DEFERRAL_TIMEOUT';
  override readonly isRetryable: boolean;
  readonly taskId: string;
  readonly timeoutMs: number;

  constructor(taskId: string, timeoutMs: number, isRetryable = true) {
    super(
      `Task "${taskId}" waited ${timeoutMs} ms and its trigger did not fire. Raise the timeout of its deferral if this wait is normal.`,
    );
    this.taskId = taskId;
    this.timeoutMs = timeoutMs;
    this.isRetryable = isRetryable;
  }
}
