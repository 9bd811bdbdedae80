import { WindhoverError } from '@windhover/core';

/** The process at the other end of the channel is gone. Whether it got the call is not known. */
export class IpcClosedError extends WindhoverError {
  readonly code = 'E_IPC_CLOSED';
  override readonly isRetryable = true;
  readonly method: string;

  constructor(method: string, options?: ErrorOptions) {
    super(
      `The channel to the other process closed before "${method}" was answered: that process ended, or was killed. ` +
        'Start the work again in a new one.',
      options,
    );
    this.method = method;
  }
}
