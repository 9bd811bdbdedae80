import { WindhoverError } from '@windhover/core';

/** No answer came from the platform. Whether it got the call is not known. */
export class ExecutionApiUnreachableError extends WindhoverError {
  readonly code = 'E_EXECUTION_API_UNREACHABLE';
  override readonly isRetryable = true;
  readonly url: string;
  readonly call: string;

  constructor(url: string, call: string, reason: string, options?: ErrorOptions) {
    super(
      `The platform at ${url} did not answer "${call}": ${reason}. Is its API server running, and can this host reach it?`,
      options,
    );
    this.url = url;
    this.call = call;
  }
}
