import { WindhoverError } from '../windhover-error.ts';
import type { TaskDeferred } from './task-signals.ts';

/** A `catch` kept `TaskDeferred` from reaching the runner, so the task would have ended instead of waiting. */
export class SwallowedDeferralError extends WindhoverError {
  readonly code = 'E_DEFERRAL_SWALLOWED';
  readonly taskId: string;
  /** The line that called `defer`. */
  readonly location: string;

  constructor(taskId: string, deferral: TaskDeferred, instead: string, options?: ErrorOptions) {
    const location = locationOf(deferral);
    super(
      `Task "${taskId}" deferred at ${location}, but a catch around it swallowed the deferral and the method ${instead}. ` +
        'Call defer outside of try, or rethrow: if (TaskDeferred.isInstance(error)) throw error;',
      options,
    );
    this.taskId = taskId;
    this.location = location;
  }
}

/** The first line of the stack that is not this package's own `defer`. */
function locationOf(error: Error): string {
  const lines = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  const caller =
    lines.find((line) => !/\.(defer|deferral|makeDeferral) |new TaskDeferred/.test(line)) ??
    lines[0] ??
    'an unknown place';
  return caller.trim().replace(/^at /, '');
}
