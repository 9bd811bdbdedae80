import { WindhoverError } from '../windhover-error.ts';

/** A service kept failing in ways that usually pass. */
export class PollBudgetError extends WindhoverError {
  readonly code = 'E_POLL_BUDGET';
  override readonly isRetryable = true;
  readonly failures: number;

  constructor(failures: number, cause: unknown) {
    super(
      `Polling gave up after ${failures} failures in a row; the last: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        'Check the outside service; raise `maxFailures` if such outages are normal.',
      { cause },
    );
    this.failures = failures;
  }
}
