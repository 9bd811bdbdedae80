import { WindhoverError } from '@windhover/core';

export type TokenFailure = 'missing' | 'malformed' | 'expired' | 'signature';

/** A token that proves nothing. It is never shown: an expired one may still say too much. */
export class InvalidTokenError extends WindhoverError {
  readonly code = 'E_TOKEN';
  readonly reason: TokenFailure;

  constructor(reason: TokenFailure, options?: ErrorOptions) {
    super(EXPLANATIONS[reason], options);
    this.reason = reason;
  }
}

const EXPLANATIONS: Record<TokenFailure, string> = {
  missing: 'This call needs a token, and came without. Send it as "Authorization: Bearer <token>".',
  malformed: 'What was sent as a token is none. Send it whole, as it was issued, as "Authorization: Bearer <token>".',
  expired: 'The token has expired. Get a new one: a task by its next heartbeat or by start, people by issuing another.',
  signature:
    'The token was not signed with any of the secret keys of this platform. It belongs to another platform, or its key ' +
    'was removed from WINDHOVER_SECRET_KEYS: add that key back behind the first, or get a new token.',
};
