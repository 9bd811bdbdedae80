import { WindhoverError } from '@windhover/core';

/** Something that the configuration names cannot be used. */
export class PluginError extends WindhoverError {
  readonly code = 'E_PLUGIN';
  readonly use: string;

  constructor(kind: string, use: string, reason: string, options?: ErrorOptions) {
    super(`The ${kind} "${use}" of the configuration cannot be used: ${reason}`, options);
    this.use = use;
  }
}
