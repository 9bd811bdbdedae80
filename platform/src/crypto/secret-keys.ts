import { randomBytes } from 'node:crypto';
import { SecretKeysError } from './secret-keys-error.ts';

export const SECRET_KEYS_VARIABLE = 'WINDHOVER_SECRET_KEYS';
const KEY_BYTES = 32;

/** A new key for WINDHOVER_SECRET_KEYS: 32 random bytes in base64. */
export function generateSecretKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/**
 * Reads the value of WINDHOVER_SECRET_KEYS: keys with commas between them. The first encrypts, all decrypt. `source`
 * names the origin in messages.
 */
export function parseSecretKeys(text: string, source: string = SECRET_KEYS_VARIABLE): string[] {
  const keys = text.split(',').map((key) => key.trim());
  if (keys.every((key) => key === '')) throw new SecretKeysError(source, `there is none. ${HOW_TO}`);
  // A comma at the end is no mistake.
  if (keys.at(-1) === '') keys.pop();
  for (const [index, key] of keys.entries()) decodeSecretKey(key, source, `key ${index + 1} of ${keys.length}`);
  return keys;
}

/** The bytes of one key. `which` names it in messages. */
export function decodeSecretKey(key: string, source: string, which: string): Buffer {
  const fail = (reason: string) => new SecretKeysError(source, `${which} ${reason} ${HOW_TO}`);
  if (key === '') throw fail('is empty.');
  if (/^[0-9a-f]{64}$/i.test(key)) throw fail('looks like 32 bytes in hex; they must be in base64.');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(key)) throw fail('has characters that base64 does not have.');
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== KEY_BYTES) throw fail(`has ${bytes.length} bytes; it must have ${KEY_BYTES}.`);
  return bytes;
}

const HOW_TO = `Make a key with: openssl rand -base64 ${KEY_BYTES}`;
