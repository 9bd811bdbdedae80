import { WindhoverError } from '@windhover/core';

/** A command did not start, or ended otherwise than with exit code 0. */
export class BashCommandError extends WindhoverError {
  readonly code = 'E_BASH_COMMAND';
  override readonly isRetryable = true;
  readonly taskId: string;
  /** Null when a signal ended it, or when it did not start. */
  readonly exitCode: number | null;

  constructor(taskId: string, reason: string, exitCode: number | null, options?: ErrorOptions) {
    super(`The command of task "${taskId}" ${reason}`, options);
    this.taskId = taskId;
    this.exitCode = exitCode;
  }
}
