import { WindhoverError } from '@windhover/core';

export class PortTakenError extends WindhoverError {
  readonly code = 'E_PORT_TAKEN';
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number, options?: ErrorOptions) {
    super(
      `Another process listens on ${host}:${port} already. Stop it, or choose another port by api.port in ` +
        'windhover.config.ts or WINDHOVER_API__PORT in the environment; 0 takes any free one.',
      options,
    );
    this.host = host;
    this.port = port;
  }
}
