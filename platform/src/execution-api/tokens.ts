import { createHash, hkdfSync } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { decodeSecretKey, SECRET_KEYS_VARIABLE } from '../crypto/secret-keys.ts';
import { SecretKeysError } from '../crypto/secret-keys-error.ts';
import { InvalidTokenError } from './invalid-token-error.ts';
import type { TokenScope } from './token-scope.ts';

export interface IssueOptions {
  /** Default: 15 minutes for `execution`, which heartbeats renew; the others do not expire. */
  readonly expiresInMs?: number;
}

/**
 * Makes and checks tokens: JWTs with HS256, under keys derived from the secret keys. The first signs, all verify, so
 * that a new key goes in front and the old one goes when its tokens are used up.
 */
export class Tokens {
  readonly #keys = new Map<string, Uint8Array>();
  readonly #primaryId: string;

  /** `secretKeys` in base64, as `parseSecretKeys` answers them. */
  constructor(secretKeys: readonly string[], source: string = SECRET_KEYS_VARIABLE) {
    for (const [index, text] of secretKeys.entries()) {
      const key = signingKey(decodeSecretKey(text, source, `key ${index + 1} of ${secretKeys.length}`));
      this.#keys.set(idOf(key), key);
    }
    const [primaryId] = this.#keys.keys();
    if (primaryId === undefined) throw new SecretKeysError(source, 'there is none.');
    this.#primaryId = primaryId;
  }

  issue(scope: TokenScope, options: IssueOptions = {}): Promise<string> {
    const jwt = new SignJWT({ scope }).setProtectedHeader({ alg: ALGORITHM, kid: this.#primaryId }).setIssuedAt();
    const expiresInMs = options.expiresInMs ?? (scope.type === 'execution' ? EXECUTION_TOKEN_MS : undefined);
    if (expiresInMs !== undefined) jwt.setExpirationTime(new Date(Date.now() + expiresInMs));
    return jwt.sign(this.#keys.get(this.#primaryId)!);
  }

  /** Throws `InvalidTokenError`. */
  async verify(token: string | undefined): Promise<TokenScope> {
    if (!token) throw new InvalidTokenError('missing');
    try {
      const { payload } = await jwtVerify<{ scope: TokenScope }>(token, ({ kid = '' }) => this.#keyOf(kid), {
        algorithms: [ALGORITHM],
        requiredClaims: ['scope'],
      });
      return payload.scope;
    } catch (error) {
      throw InvalidTokenError.isWindhoverError(error) ? error : new InvalidTokenError(failureOf(error));
    }
  }

  #keyOf(kid: string): Uint8Array {
    const key = this.#keys.get(kid);
    if (!key) throw new InvalidTokenError('signature');
    return key;
  }
}

const ALGORITHM = 'HS256';
const EXECUTION_TOKEN_MS = 15 * 60_000;

/** A key of its own for this use: what a token shows says nothing about the key that encrypts. */
function signingKey(secretKey: Buffer): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secretKey, '', 'windhover token', 32));
}

function idOf(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

function failureOf(error: unknown): 'expired' | 'signature' | 'malformed' {
  if (error instanceof errors.JWTExpired) return 'expired';
  return error instanceof errors.JWSSignatureVerificationFailed ? 'signature' : 'malformed';
}
