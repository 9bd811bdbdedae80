import { WindhoverError } from '@windhover/core';

/** A part of the platform that does not exist yet was asked for. */
export class NotYetError extends WindhoverError {
  readonly code = 'E_NOT_YET';
  readonly call: string;

  constructor(call: string, feature: string) {
    super(`${call} was called, but this version of the platform has no ${feature} yet. See docs/status.md.`);
    this.call = call;
  }
}
