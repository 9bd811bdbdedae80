import { WindhoverError } from '@windhover/core';

/** A server cannot start as it is set up. */
export class ServerSetupError extends WindhoverError {
  readonly code = 'E_SERVER_SETUP';
}
