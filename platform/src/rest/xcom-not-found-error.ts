import { formatTaskInstanceKey, type TaskInstanceKey, WindhoverError } from '@windhover/core';

export class XComNotFoundError extends WindhoverError {
  readonly code = 'E_XCOM_NOT_FOUND';
  readonly key: string;

  constructor(task: TaskInstanceKey, key: string) {
    super(`${formatTaskInstanceKey(task)} has no XCom "${key}".`);
    this.key = key;
  }
}
