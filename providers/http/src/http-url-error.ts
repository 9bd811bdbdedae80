import { WindhoverError } from '@windhover/core';

/** The address of a connection and the endpoint of a request do not make a URL that may be asked. */
export class HttpUrlError extends WindhoverError {
  readonly code = 'E_HTTP_URL';
  readonly connId: string;

  constructor(connId: string, reason: string, options?: ErrorOptions) {
    super(`A request over connection "${connId}" has no address: ${reason}.`, options);
    this.connId = connId;
  }
}
