import { WindhoverError } from '@windhover/core';

/** A connection of type `aws` has a field that means nothing. */
export class AwsConnectionError extends WindhoverError {
  readonly code = 'E_AWS_CONNECTION';
  readonly connId: string;
  readonly field: string;

  constructor(connId: string, field: string, reason: string) {
    super(`Connection "${connId}" has a wrong field "${field}": ${reason}.`);
    this.connId = connId;
    this.field = field;
  }
}
