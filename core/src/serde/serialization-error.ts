import { WindhoverError } from '../windhover-error.ts';

/** A value cannot be stored. `path` leads to it, `hint` says what to pass instead. */
export class SerializationError extends WindhoverError {
  readonly code = 'E_SERIALIZE';
  readonly path: string;
  readonly found: string;
  readonly hint: string;

  constructor(path: string, found: string, hint: string) {
    super(`Cannot store ${path}: it is ${found}. ${hint}`);
    this.path = path;
    this.found = found;
    this.hint = hint;
  }
}
