import { WindhoverError } from '@windhover/core';

export class ConnectionTypeError extends WindhoverError {
  readonly code = 'E_CONNECTION_TYPE';
  readonly connId: string;
  readonly connType: string;
  readonly knownTypes: readonly string[];

  constructor(connId: string, connType: string, knownTypes: readonly string[]) {
    super(
      `The connection "${connId}" cannot be tested: no installed provider declares the type "${connType}". ` +
        (knownTypes.length > 0 ? `Known types: ${knownTypes.join(', ')}. ` : 'No provider declares any type. ') +
        'Install the provider that has it, or correct the type.',
    );
    this.connId = connId;
    this.connType = connType;
    this.knownTypes = knownTypes;
  }
}
