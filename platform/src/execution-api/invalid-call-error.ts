import { WindhoverError } from '@windhover/core';

/** A request to the execution API that is no call of one of its methods. */
export class InvalidCallError extends WindhoverError {
  readonly code = 'E_EXECUTION_CALL';
  /** The HTTP status that says so. */
  readonly status: number;

  constructor(status: number, reason: string) {
    super(`The execution API cannot take this call: ${reason}`);
    this.status = status;
  }
}
