import { isTransientError, WindhoverError } from '@windhover/core';

/** A request got no answer: the network, a name, a certificate, or time. */
export class HttpUnreachableError extends WindhoverError {
  readonly code = 'E_HTTP_UNREACHABLE';
  override readonly isRetryable: boolean;
  /** Whether it is certain that the server has not even seen the request. */
  readonly isUnseen: boolean;

  constructor(what: string, connId: string, cause: unknown) {
    super(
      `${what} got no answer: ${messageOf(cause)}. Check host and port of connection "${connId}", and whether this ` +
        'machine reaches them.',
      { cause },
    );
    this.isRetryable = isTransientError(cause);
    this.isUnseen = UNSEEN.has(String((cause as { code?: unknown }).code));
  }
}

const UNSEEN = new Set(['ECONNREFUSED', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** Node reports a host with several addresses as one error without a message that holds several. */
function messageOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') return cause.errors.map(messageOf).join('; ');
  return cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : String(cause);
}
