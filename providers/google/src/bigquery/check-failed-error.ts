import { WindhoverError } from '@windhover/core';

/** Data is not as a check demands. A retry asks anew, because the data may have changed. */
export class CheckFailedError extends WindhoverError {
  readonly code = 'E_BIGQUERY_CHECK';
  override readonly isRetryable = true;
  readonly dropsSteps = true;
  /** What was found wrong, each in words. */
  readonly findings: readonly string[];

  constructor(taskId: string, findings: readonly string[], sql: string) {
    super(`Check "${taskId}" failed: ${findings.join('; ')}. It asked: ${sql}`);
    this.findings = findings;
  }
}
