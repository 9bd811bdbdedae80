import { WindhoverError } from '@windhover/core';

/** An answer that is not the result of the call: the platform failed, or something between has answered for it. */
export class ExecutionApiAnswerError extends WindhoverError {
  readonly code = 'E_EXECUTION_API_ANSWER';
  override readonly isRetryable: boolean;
  readonly call: string;
  readonly status: number;

  constructor(url: string, call: string, status: number, detail: string) {
    super(`The platform at ${url} answered "${call}" with HTTP ${status}: ${detail}`);
    this.call = call;
    this.status = status;
    this.isRetryable = status === 408 || status === 429 || status >= 500;
  }
}
