import { WindhoverError } from '../windhover-error.ts';

/** `defer` was told to go on at something that would not be found again on the operator. */
export class ResumeMethodError extends WindhoverError {
  readonly code = 'E_RESUME_METHOD';
  readonly operatorName: string;
  readonly taskId: string;

  constructor(operatorName: string, taskId: string, reason: string) {
    super(`${operatorName} "${taskId}" cannot be deferred: ${reason}`);
    this.operatorName = operatorName;
    this.taskId = taskId;
  }
}
