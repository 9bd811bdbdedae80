import { WindhoverError } from '@windhover/core';

export class ConnectionTestError extends WindhoverError {
  readonly code = 'E_CONNECTION_TEST';
  readonly testId: string;

  constructor(testId: string) {
    super(
      `There is no connection test ${testId} to work on: it has ended, or it was removed an hour after it was asked for. Ask for a new one.`,
    );
    this.testId = testId;
  }
}
