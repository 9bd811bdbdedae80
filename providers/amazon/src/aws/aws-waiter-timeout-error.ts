import { WindhoverError } from '@windhover/core';

/** Work went on longer than its waiter waits. It is not cancelled: a retry waits for it again. */
export class AwsWaiterTimeoutError extends WindhoverError {
  readonly code = 'E_AWS_WAITER_TIMEOUT';
  override readonly isRetryable = true;
  readonly handle: string;
  readonly maxAttempts: number;

  constructor(jobName: string, handle: string, maxAttempts: number, limitMs: number, cause: unknown) {
    super(
      `${jobName} ${handle} had not ended after ${limitMs} ms, which is waiterMaxAttempts (${maxAttempts}) times ` +
        'waiterDelay. It still runs, and a retry waits for it again. Raise waiterMaxAttempts if this is normal.',
      { cause },
    );
    this.handle = handle;
    this.maxAttempts = maxAttempts;
  }
}
