import { WindhoverError } from '@windhover/core';
import { shellWord } from '../output/format.ts';

/** Adding a connection must not put another in the place of one that holds a password nobody can read back. */
export class ConnectionExistsError extends WindhoverError {
  readonly code = 'E_CONNECTION_EXISTS';
  readonly connId: string;

  constructor(connId: string) {
    super(
      `There is a connection "${connId}" already. To replace it, delete it first: windhover connections delete ${shellWord(connId)}`,
    );
    this.connId = connId;
  }
}
