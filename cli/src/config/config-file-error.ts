import { WindhoverError } from '@windhover/core';

/** The configuration file cannot be loaded at all. */
export class ConfigFileError extends WindhoverError {
  readonly code = 'E_CONFIG_FILE';
  readonly file: string;

  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`Cannot load ${file}: ${reason}`, options);
    this.file = file;
  }
}
