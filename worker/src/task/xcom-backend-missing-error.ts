import { WindhoverError } from '@windhover/core';

/** The value is kept in an XCom backend, and this worker has none. */
export class XComBackendMissingError extends WindhoverError {
  readonly code = 'E_XCOM_BACKEND_MISSING';
  readonly taskId: string;
  readonly key: string;

  constructor(taskId: string, key: string) {
    super(
      `XCom "${key}" of task "${taskId}" is kept in an XCom backend, but this worker has none configured. Give it the ` +
        'same xcomBackend in windhover.config.ts as the worker that pushed the value.',
    );
    this.taskId = taskId;
    this.key = key;
  }
}
