import { WindhoverError } from '@windhover/core';

export interface RequestMistake {
  /** Where it is: `slots`, `conf.env`, or empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** What a client sent is not what the route takes; each mistake is named. */
export class InvalidRequestError extends WindhoverError {
  readonly code = 'E_REQUEST';
  readonly errors: readonly RequestMistake[];

  constructor(errors: readonly RequestMistake[]) {
    super(`The request cannot be taken: ${errors.map(({ path, message }) => `${path}: ${message}`).join('; ')}.`);
    this.errors = errors;
  }
}
