import { WindhoverError } from '@windhover/core';

/** There is no PostgreSQL that could be started on this machine. */
export class PostgresBinariesError extends WindhoverError {
  readonly code = 'E_POSTGRES_BINARIES';
  /** Such as `linux-x64`. */
  readonly platform: string;

  constructor(platform: string, reason: string, options?: ErrorOptions) {
    super(
      `No embedded PostgreSQL for ${platform}: ${reason}. ` +
        'Set WINDHOVER_DATABASE_URL to the url of a PostgreSQL server, version 15 or later.',
      options,
    );
    this.platform = platform;
  }
}
