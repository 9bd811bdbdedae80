import { createHash, createHmac } from 'node:crypto';
import type { Json } from '@windhover/core';
import { DecryptError } from './decrypt-error.ts';
import { decodeSecretKey, SECRET_KEYS_VARIABLE } from './secret-keys.ts';
import { SecretKeysError } from './secret-keys-error.ts';
import { NONCE_BYTES, TAG_BYTES, Xaes256Gcm } from './xaes-256-gcm.ts';

/**
 * Encrypts what rests in the database. The first key encrypts, all decrypt: a new key goes in front, the old one goes
 * when nothing is encrypted with it any more.
 *
 * `purpose` says what a ciphertext is for, best with its row: `connection.password:aws_default`. It is not secret and
 * not stored, but must be the same for decrypting, so that nobody can move the ciphertext of one row or column to
 * another.
 *
 * Layout: version (1 byte), key id (4), nonce (24), tag (16), ciphertext.
 */
export class Keyring {
  /** The id of the key that encrypts: the first 8 hex digits of its SHA-256. */
  readonly primaryKeyId: string;
  readonly #keys = new Map<string, Xaes256Gcm>();
  readonly #primaryHeader: Buffer;
  readonly #primary: Xaes256Gcm;
  readonly #hmacKey: Buffer;

  /** `keys` in base64, 32 bytes each, as `parseSecretKeys` answers them. */
  constructor(keys: readonly string[], source: string = SECRET_KEYS_VARIABLE) {
    const decoded = keys.map((key, index) => decodeSecretKey(key, source, `key ${index + 1} of ${keys.length}`));
    const [first] = decoded;
    if (!first) throw new SecretKeysError(source, 'there is none.');
    const byId = new Map<string, Buffer>();
    for (const key of decoded) {
      const id = keyIdOf(key);
      if (byId.get(id)?.equals(key) === false)
        throw new SecretKeysError(source, `two different keys have the id ${id}. Make another in place of one.`);
      byId.set(id, key);
      this.#keys.set(id, new Xaes256Gcm(key));
    }
    this.primaryKeyId = keyIdOf(first);
    this.#primary = this.#keys.get(this.primaryKeyId)!;
    this.#primaryHeader = Buffer.from([VERSION, ...Buffer.from(this.primaryKeyId, 'hex')]);
    // A key of its own for each use: what one computation shows says nothing about the other.
    this.#hmacKey = createHmac('sha256', first).update('windhover hmac').digest();
  }

  /** The ids of all keys, that of the encrypting one first. */
  get keyIds(): string[] {
    return [...this.#keys.keys()];
  }

  encrypt(plain: Json, purpose: string): Buffer {
    const header = this.#primaryHeader;
    const sealed = this.#primary.seal(Buffer.from(JSON.stringify(plain)), associatedData(header, purpose));
    return Buffer.concat([header, sealed.nonce, sealed.tag, sealed.ciphertext]);
  }

  /** Throws `DecryptError`. */
  decrypt(encrypted: Buffer, purpose: string): Json {
    if (encrypted.length < CIPHERTEXT_AT || encrypted[0] !== VERSION) throw new DecryptError('format', purpose, null);
    const header = encrypted.subarray(0, NONCE_AT);
    const keyId = readKeyId(encrypted);
    const key = this.#keys.get(keyId);
    if (!key) throw new DecryptError('unknownKey', purpose, keyId);
    const sealed = {
      nonce: encrypted.subarray(NONCE_AT, TAG_AT),
      tag: encrypted.subarray(TAG_AT, CIPHERTEXT_AT),
      ciphertext: encrypted.subarray(CIPHERTEXT_AT),
    };
    let plain: Buffer;
    try {
      plain = key.open(sealed, associatedData(header, purpose));
    } catch (cause) {
      throw new DecryptError('tampered', purpose, keyId, { cause });
    }
    return JSON.parse(plain.toString()) as Json;
  }

  /**
   * A fingerprint of something secret, to compare by: equal for equal purpose and text, and of no use to whoever lacks
   * the key. Made with the first key, so it changes when that changes.
   */
  hmac(purpose: string, text: string): string {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(purpose));
    return createHmac('sha256', this.#hmacKey).update(length).update(purpose).update(text).digest('base64url');
  }
}

/** Which key a ciphertext was made with; the row keeps it, so that rows of an old key can be found. */
export function readKeyId(encrypted: Buffer): string {
  return encrypted.toString('hex', 1, NONCE_AT);
}

const VERSION = 1;
const NONCE_AT = 5;
const TAG_AT = NONCE_AT + NONCE_BYTES;
const CIPHERTEXT_AT = TAG_AT + TAG_BYTES;

function keyIdOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

/** The header has a fixed length, so that no purpose can be taken for part of it. */
function associatedData(header: Buffer, purpose: string): Buffer {
  return Buffer.concat([header, Buffer.from(purpose)]);
}
