import { WindhoverError } from '../windhover-error.ts';

export class ConnectionNotFoundError extends WindhoverError {
  readonly code = 'E_CONNECTION_NOT_FOUND';
  readonly connId: string;

  constructor(connId: string) {
    super(
      `There is no connection "${connId}". Add it with: windhover connections add ${connId} --uri '…', ` +
        `or set ${connectionVariable(connId)} in the environment of the platform.`,
    );
    this.connId = connId;
  }
}

/** The environment variable that defines a connection: `WINDHOVER_CONN_AWS_DEFAULT`. */
export function connectionVariable(connId: string): string {
  return `WINDHOVER_CONN_${connId.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}
