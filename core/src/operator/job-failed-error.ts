import { WindhoverError } from '../windhover-error.ts';

/**
 * Throw it when outside work has ended and failed. A retry begins anew: what the steps of this task had stored, such as
 * the handle of the failed job, is forgotten. After any other failure a retry finds its steps, and the job it waits for.
 */
export class JobFailedError extends WindhoverError {
  readonly code = 'E_JOB_FAILED';
  override readonly isRetryable = true;
  readonly dropsSteps = true;
}
