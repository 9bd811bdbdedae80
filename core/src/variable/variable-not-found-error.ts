import { WindhoverError } from '../windhover-error.ts';

export class VariableNotFoundError extends WindhoverError {
  readonly code = 'E_VARIABLE_NOT_FOUND';
  readonly key: string;

  constructor(key: string) {
    super(`There is no variable "${key}". Set it with: windhover variables set ${key} '<value>'.`);
    this.key = key;
  }
}
