import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

export const NONCE_BYTES = 24;
export const TAG_BYTES = 16;

export interface Sealed {
  readonly nonce: Buffer;
  readonly tag: Buffer;
  readonly ciphertext: Buffer;
}

/**
 * AES-256-GCM with a nonce of 24 bytes, as C2SP's XAES-256-GCM describes: the first half of the nonce makes the key
 * of the message, the second half is its GCM nonce. With plain GCM's 12 random bytes a key should not encrypt more
 * than 2^32 messages, which is seven weeks at 1,000 a second; here there is no such limit. Deriving the key takes 1 µs
 * of the 6 to 9 µs that a small message takes.
 */
export class Xaes256Gcm {
  readonly #deriveKey: (nonce: Buffer) => KeyObject;

  constructor(key: Buffer) {
    this.#deriveKey = keyDerivation(key);
  }

  seal(plaintext: Buffer, associatedData: Buffer, nonce: Buffer = randomBytes(NONCE_BYTES)): Sealed {
    const cipher = createCipheriv('aes-256-gcm', this.#deriveKey(nonce), nonce.subarray(12));
    cipher.setAAD(associatedData);
    const ciphertext = cipher.update(plaintext);
    cipher.final();
    return { nonce, tag: cipher.getAuthTag(), ciphertext };
  }

  /** Throws where anything is not what was sealed. */
  open({ nonce, tag, ciphertext }: Sealed, associatedData: Buffer): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.#deriveKey(nonce), nonce.subarray(12), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(associatedData);
    decipher.setAuthTag(tag);
    const plaintext = decipher.update(ciphertext);
    decipher.final();
    return plaintext;
  }
}

/** CMAC of the key over a counter, "X" and half the nonce, twice: NIST SP 800-108 for one block of input. */
function keyDerivation(key: Buffer): (nonce: Buffer) => KeyObject {
  // ECB blocks do not depend on each other, so that one cipher serves all messages.
  const aes = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const subkey = double(aes.update(Buffer.alloc(16)));
  const prefixes = Buffer.alloc(32);
  for (const counter of [1, 2]) prefixes.set([0, counter, 0x58, 0], (counter - 1) * 16);
  for (let i = 0; i < 32; i += 1) prefixes[i]! ^= subkey[i % 16]!;
  return (nonce) => {
    const blocks = Buffer.from(prefixes);
    for (let i = 0; i < 12; i += 1) {
      blocks[4 + i]! ^= nonce[i]!;
      blocks[20 + i]! ^= nonce[i]!;
    }
    // createCipheriv takes 8 µs with the bytes of a key and 1 µs with an object (Node 24).
    return createSecretKey(aes.update(blocks));
  };
}

/** Doubling in GF(2^128), CMAC's way to its subkey. */
function double(block: Buffer): Buffer {
  const doubled = Buffer.from(block.map((byte, i) => (byte << 1) | ((block[i + 1] ?? 0) >> 7)));
  if (block[0]! & 0x80) doubled[15]! ^= 0x87;
  return doubled;
}
