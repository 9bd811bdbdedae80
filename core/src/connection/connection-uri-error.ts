import { WindhoverError } from '../windhover-error.ts';

/** The text of a connection is no URI. The text itself is left out of the message: it may hold a password. */
export class ConnectionUriError extends WindhoverError {
  readonly code = 'E_CONNECTION_URI';
  readonly connId: string;

  constructor(connId: string, reason: string, options?: ErrorOptions) {
    super(
      `The URI of connection "${connId}" cannot be read: ${reason}. ` +
        'Write "type://login:password@host:port/schema?key=value", each part percent-encoded where it holds : / ? # @ or %.',
      options,
    );
    this.connId = connId;
  }
}
