import { WindhoverError } from '@windhover/core';

/** The database cannot be used. Never shows the password. */
export class DatabaseError extends WindhoverError {
  readonly code = 'E_DATABASE';
  /** Host, port and name of the database. */
  readonly place: string;

  constructor(place: string, reason: string, options?: ErrorOptions) {
    super(`The database ${place} cannot be used: ${reason}`, options);
    this.place = place;
  }
}
