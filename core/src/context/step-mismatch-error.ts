import { WindhoverError } from '../windhover-error.ts';

/** A function that ran again took another way than before. */
export class StepMismatchError extends WindhoverError {
  readonly code = 'E_STEP_MISMATCH';
  readonly taskId: string;
  readonly sequence: number;
  readonly expected: string;
  readonly found: string;

  constructor(taskId: string, sequence: number, expected: string, found: string) {
    super(
      `Task "${taskId}" was replayed and came to step "${found}" where it had step "${expected}" before (number ` +
        `${sequence + 1}). Between steps a function must do the same each time: put what depends on time, chance or ` +
        'the outside into a step, or clear the task to begin anew with the changed code.',
    );
    this.taskId = taskId;
    this.sequence = sequence;
    this.expected = expected;
    this.found = found;
  }
}
