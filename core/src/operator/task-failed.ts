import { brandPrototype, hasBrand } from '../brand.ts';
import { WindhoverError } from '../windhover-error.ts';

/** Throw it to fail the task for good: its retries do not apply, because trying again cannot help. */
export class TaskFailed extends WindhoverError {
  readonly code: string = 'E_TASK_FAILED';

  static {
    brandPrototype(TaskFailed.prototype, 'TaskFailed');
  }

  static isInstance(value: unknown): value is TaskFailed {
    return hasBrand(value, 'TaskFailed');
  }
}
