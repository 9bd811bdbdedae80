import { WindhoverError } from '@windhover/core';

/** The secret keys cannot be used. Says which one by its place and never shows it. */
export class SecretKeysError extends WindhoverError {
  readonly code = 'E_SECRET_KEYS';
  /** Where the keys came from: `WINDHOVER_SECRET_KEYS`, or the path of a file. */
  readonly source: string;

  constructor(source: string, reason: string, options?: ErrorOptions) {
    super(`The secret keys in ${source} cannot be used: ${reason}`, options);
    this.source = source;
  }
}
