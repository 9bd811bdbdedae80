import { WindhoverError } from '@windhover/core';

export interface PostgresStartFacts {
  readonly dataDirectory: string;
  readonly logFile: string;
  /** The last lines that the server, or initdb, wrote in this start; empty if it wrote none. */
  readonly logTail: string;
}

/** The embedded PostgreSQL did not come up. */
export class PostgresStartError extends WindhoverError implements PostgresStartFacts {
  readonly code = 'E_POSTGRES_START';
  readonly dataDirectory: string;
  readonly logFile: string;
  readonly logTail: string;

  constructor(reason: string, facts: PostgresStartFacts, options?: ErrorOptions) {
    super(
      `The embedded PostgreSQL in ${facts.dataDirectory} did not start: ${reason}.` +
        (facts.logTail
          ? ` Its last words (all of them: ${facts.logFile}):\n${facts.logTail}`
          : ` Its log: ${facts.logFile}`),
      options,
    );
    this.dataDirectory = facts.dataDirectory;
    this.logFile = facts.logFile;
    this.logTail = facts.logTail;
  }
}
