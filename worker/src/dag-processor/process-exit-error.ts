import { WindhoverError } from '@windhover/core';

/** A DAG file called `process.exit` while it was imported. Thrown at the call, so that the stack has its line. */
export class ProcessExitError extends WindhoverError {
  readonly code = 'E_DAG_FILE_EXIT';
  readonly exitCode: unknown;

  constructor(exitCode: unknown) {
    super(
      `process.exit(${exitCode ?? ''}) was called while the file was imported. ` +
        'A DAG file describes work and must leave its process alone; do this in a task.',
    );
    this.exitCode = exitCode;
  }
}
