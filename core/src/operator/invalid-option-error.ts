import { WindhoverError } from '../windhover-error.ts';

export class InvalidOptionError extends WindhoverError {
  readonly code = 'E_OPTION';
  readonly subject: string;
  readonly option: string;

  constructor(subject: string, option: string, reason: string) {
    super(`${subject} has a wrong option "${option}": ${reason}.`);
    this.subject = subject;
    this.option = option;
  }
}
