import { WindhoverError } from '@windhover/core';

/** No server was found, or the one that was named does not answer. */
export class ApiUnreachableError extends WindhoverError {
  readonly code = 'E_API_UNREACHABLE';
  override readonly isRetryable = true;
  /** Null where no server is known at all. */
  readonly url: string | null;

  constructor(url: string | null, message: string, options?: ErrorOptions) {
    super(
      `${message}\nStart a server with: windhover standalone\nOr name one with --url or WINDHOVER_API_URL.`,
      options,
    );
    this.url = url;
  }
}
