import { WindhoverError } from '@windhover/core';

export class CallbackTimeoutError extends WindhoverError {
  readonly code = 'E_CALLBACK_TIMEOUT';
  /** Such as `onFailure of task "load" of DAG "daily"`. */
  readonly callback: string;
  readonly timeoutMs: number;

  constructor(callback: string, timeoutMs: number) {
    super(
      `The callback ${callback} did not end within ${timeoutMs} ms and was given up. A callback holds a worker: let it ` +
        'only tell somebody, and do longer work in a task, such as one with triggerRule "one_failed".',
    );
    this.callback = callback;
    this.timeoutMs = timeoutMs;
  }
}
