import { brandPrototype, hasBrand } from '../brand.ts';
import { WindhoverError } from '../windhover-error.ts';

/** What was polled for had not come when the time was up. */
export class PollTimeoutError extends WindhoverError {
  readonly code = 'E_POLL_TIMEOUT';
  override readonly isRetryable = true;
  readonly until: Date;

  static {
    brandPrototype(PollTimeoutError.prototype, 'PollTimeoutError');
  }

  constructor(until: Date, cause?: unknown) {
    const last =
      cause === undefined ? '' : ` The last check failed: ${cause instanceof Error ? cause.message : String(cause)}.`;
    super(
      `Polling ended at ${until.toISOString()} and had found nothing.${last} Poll longer if such a wait is normal.`,
      cause === undefined ? undefined : { cause },
    );
    this.until = until;
  }

  static isInstance(value: unknown): value is PollTimeoutError {
    return hasBrand(value, 'PollTimeoutError');
  }
}
