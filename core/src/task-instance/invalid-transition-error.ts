import { WindhoverError } from '../windhover-error.ts';

export class InvalidTransitionError extends WindhoverError {
  readonly code = 'E_INVALID_TRANSITION';
  readonly subject: string;
  readonly from: string;
  readonly to: string;
  readonly allowed: readonly string[];

  constructor(subject: string, from: string, to: string, allowed: readonly string[]) {
    super(`The ${subject} cannot go from "${from}" to "${to}". From "${from}" it can become: ${allowed.join(', ')}.`);
    this.subject = subject;
    this.from = from;
    this.to = to;
    this.allowed = allowed;
  }
}
