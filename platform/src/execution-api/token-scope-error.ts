import { WindhoverError } from '@windhover/core';
import { describeScope, type TokenScope } from './token-scope.ts';

/** A valid token, but one for something else. */
export class TokenScopeError extends WindhoverError {
  readonly code = 'E_TOKEN_SCOPE';
  /** What the call needs a token for. */
  readonly needed: string;
  /** What the token is for. */
  readonly given: string;

  /** `needed` as a scope, or in words. */
  constructor(needed: TokenScope | string, given: TokenScope) {
    const [wanted, found] = [typeof needed === 'string' ? needed : describeScope(needed), describeScope(given)];
    super(`This call needs a token ${wanted}; the one that was sent is ${found}.`);
    this.needed = wanted;
    this.given = found;
  }
}
