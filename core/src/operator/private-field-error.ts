import { WindhoverError } from '../windhover-error.ts';

export class PrivateFieldError extends WindhoverError {
  readonly code = 'E_PRIVATE_FIELD';
  readonly operatorName: string;

  constructor(operatorName: string, cause: Error) {
    super(
      `${operatorName} uses a #private field, which does not exist on the view a task runs on: ${cause.message}. ` +
        "Use TypeScript's private instead of #.",
      { cause },
    );
    this.operatorName = operatorName;
  }
}
