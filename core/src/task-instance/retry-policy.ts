/** How a task is tried again after a failure; a `SerializedTask` is one. */
export interface RetryPolicy {
  /** How many failures are forgiven: `retries: 2` means at most three tries. */
  readonly retries: number;
  readonly retryDelayMs: number;
  /** Doubles the delay with each try. */
  readonly retryExponentialBackoff: boolean;
  /** Caps the delay. Default: 24 hours. */
  readonly maxRetryDelayMs?: number;
}

export interface Failure {
  /** The try that failed, 1 for the first. */
  readonly tryNumber: number;
  /** False where the error itself forbids a retry (`TaskFailed`, a mistake in the code). Default: true. */
  readonly isRetryable?: boolean;
}

/**
 * The delay before the next try, or null when this failure is final. `random` (0 ≤ random < 1) spreads the retries of
 * many tasks that failed together over a tenth of the delay; leave it out for an exact delay.
 */
export function retryDelayAfter(policy: RetryPolicy, failure: Failure, random = 0): number | null {
  if (failure.isRetryable === false || failure.tryNumber > policy.retries) return null;
  // 2 ** 40 ms is 35 years: the exponent is capped so that thousands of tries do not end at Infinity.
  const factor = policy.retryExponentialBackoff ? 2 ** Math.min(failure.tryNumber - 1, 40) : 1;
  const delayMs = policy.retryDelayMs * factor * (1 + random / 10);
  return Math.round(Math.min(delayMs, policy.maxRetryDelayMs ?? DEFAULT_MAX_RETRY_DELAY_MS));
}

const DEFAULT_MAX_RETRY_DELAY_MS = 24 * 3_600_000;
