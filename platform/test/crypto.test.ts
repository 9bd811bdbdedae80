import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import type { Json } from '@windhover/core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DecryptError } from '../src/crypto/decrypt-error.ts';
import { loadOrCreateKeyFile } from '../src/crypto/key-file.ts';
import { Keyring, readKeyId } from '../src/crypto/keyring.ts';
import { generateSecretKey, parseSecretKeys } from '../src/crypto/secret-keys.ts';
import { SecretKeysError } from '../src/crypto/secret-keys-error.ts';
import { Xaes256Gcm } from '../src/crypto/xaes-256-gcm.ts';

const KEY_A = Buffer.alloc(32, 1).toString('base64');
const KEY_B = Buffer.alloc(32, 2).toString('base64');

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('Keyring', () => {
  test('gives back what it has encrypted', () => {
    const keyring = new Keyring([generateSecretKey()]);
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, purpose) => {
        const plain = JSON.parse(JSON.stringify(value)) as Json;
        expect(keyring.decrypt(keyring.encrypt(plain, purpose), purpose)).toEqual(plain);
      }),
    );
  });

  test('encrypts the same text differently each time', () => {
    const keyring = new Keyring([KEY_A]);
    expect(keyring.encrypt('secret', 'p')).not.toEqual(keyring.encrypt('secret', 'p'));
    expect(keyring.encrypt('secret', 'p').includes('secret')).toBe(false);
  });

  test('the ciphertext of one purpose is of no use for another', () => {
    const keyring = new Keyring([KEY_A]);
    const encrypted = keyring.encrypt({ password: 'x' }, 'connection.password:aws');
    const error = caught(() => keyring.decrypt(encrypted, 'connection.password:gcp')) as DecryptError;
    expect(error).toBeInstanceOf(DecryptError);
    expect(error).toMatchObject({ code: 'E_DECRYPT', reason: 'tampered', purpose: 'connection.password:gcp' });
  });

  test('any changed byte is noticed', () => {
    const keyring = new Keyring([KEY_A]);
    const encrypted = keyring.encrypt({ n: 1 }, 'p');
    for (let i = 0; i < encrypted.length; i += 1) {
      const changed = Buffer.from(encrypted);
      changed[i]! ^= 1;
      expect(() => keyring.decrypt(changed, 'p'), `byte ${i}`).toThrow(DecryptError);
    }
    for (let length = 0; length < encrypted.length; length += 1)
      expect(() => keyring.decrypt(encrypted.subarray(0, length), 'p'), `length ${length}`).toThrow(DecryptError);
    expect(() => keyring.decrypt(Buffer.concat([encrypted, Buffer.of(0)]), 'p')).toThrow(DecryptError);
  });

  test('a new key in front encrypts, the old one still decrypts', () => {
    const old = new Keyring([KEY_A]);
    const rotated = new Keyring([KEY_B, KEY_A]);
    const encrypted = old.encrypt('x', 'p');
    expect(rotated.decrypt(encrypted, 'p')).toBe('x');
    expect(readKeyId(encrypted)).toBe(old.primaryKeyId);
    expect(readKeyId(rotated.encrypt('x', 'p'))).toBe(rotated.primaryKeyId);
    expect(rotated.keyIds).toEqual([rotated.primaryKeyId, old.primaryKeyId]);
  });

  test('a missing key is named by its id, with what to do', () => {
    const encrypted = new Keyring([KEY_A]).encrypt('x', 'variable.value:a');
    const error = caught(() => new Keyring([KEY_B]).decrypt(encrypted, 'variable.value:a')) as DecryptError;
    expect(error).toMatchObject({ reason: 'unknownKey', keyId: '72cd6e84' });
    expect(error.message).toContain('72cd6e84');
    expect(error.message).toContain('WINDHOVER_SECRET_KEYS');
  });

  test('a key given twice is one key', () => {
    expect(new Keyring([KEY_A, KEY_A]).keyIds).toHaveLength(1);
  });

  test('needs a key', () => {
    expect(() => new Keyring([])).toThrow(SecretKeysError);
  });

  test('does not show its keys when it is printed', () => {
    const printed = inspect(new Keyring([KEY_A]), { depth: 9, showHidden: true });
    expect(printed).not.toMatch(/01 01 01|AQEB/);
  });

  test('an hmac depends on key, purpose and text, and on where one ends', () => {
    const keyring = new Keyring([KEY_A]);
    expect(keyring.hmac('share', 'x')).toBe(new Keyring([KEY_A, KEY_B]).hmac('share', 'x'));
    const others = [
      keyring.hmac('share', 'y'),
      keyring.hmac('event', 'x'),
      keyring.hmac('shar', 'ex'),
      new Keyring([KEY_B]).hmac('share', 'x'),
    ];
    expect(new Set([...others, keyring.hmac('share', 'x')]).size).toBe(5);
    expect(keyring.hmac('share', 'x')).toMatch(/^[\w-]{43}$/);
  });

  test('a small payload takes microseconds', () => {
    const keyring = new Keyring([KEY_A]);
    const kwargs = { bucket: 'b', key: 'some/key', pollIntervalMs: 1000 };
    const round = () => keyring.decrypt(keyring.encrypt(kwargs, 'trigger.kwargs:1'), 'trigger.kwargs:1');
    for (let i = 0; i < 1_000; i += 1) round();
    const began = performance.now();
    for (let i = 0; i < 1_000; i += 1) round();
    // Measured: 14 µs for both ways. The bound leaves room for a busy machine.
    expect(performance.now() - began).toBeLessThan(300);
  });
});

describe('Xaes256Gcm', () => {
  test.each([
    [1, '', 'ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271'],
    [3, 'c2sp.org/XAES-256-GCM', '986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d'],
  ])('agrees with the vectors of C2SP (key %i)', (byte, data, expected) => {
    const xaes = new Xaes256Gcm(Buffer.alloc(32, byte));
    const sealed = xaes.seal(Buffer.from('XAES-256-GCM'), Buffer.from(data), Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX'));
    expect(Buffer.concat([sealed.ciphertext, sealed.tag]).toString('hex')).toBe(expected);
    expect(xaes.open(sealed, Buffer.from(data)).toString()).toBe('XAES-256-GCM');
  });

  test('opens texts of every length around a block', () => {
    const xaes = new Xaes256Gcm(Buffer.alloc(32, 7));
    for (let length = 0; length < 70; length += 1) {
      const plain = Buffer.alloc(length, length);
      expect(xaes.open(xaes.seal(plain, Buffer.from('d')), Buffer.from('d'))).toEqual(plain);
    }
  });
});

describe('parseSecretKeys', () => {
  test('reads one key or several, with space around them', () => {
    expect(parseSecretKeys(KEY_A)).toEqual([KEY_A]);
    expect(parseSecretKeys(` ${KEY_A} ,\n${KEY_B},\n`)).toEqual([KEY_A, KEY_B]);
    const url = Buffer.alloc(32, 255).toString('base64url');
    expect(new Keyring(parseSecretKeys(url)).primaryKeyId).toBe('af961376');
  });

  test.each([
    ['nothing', '', /there is none/],
    ['only commas', ' , ', /there is none/],
    ['a short key', `${KEY_A},${Buffer.alloc(16, 7).toString('base64')}`, /key 2 of 2 has 16 bytes; it must have 32/],
    ['a long key', Buffer.alloc(33, 7).toString('base64'), /key 1 of 1 has 33 bytes/],
    ['hex', Buffer.alloc(32, 0xab).toString('hex'), /key 1 of 1 looks like 32 bytes in hex/],
    ['an empty place', `${KEY_A},,${KEY_B}`, /key 2 of 3 is empty/],
    ['other text', 'correct horse battery staple', /key 1 of 1 has characters/],
  ])('refuses %s without showing it', (_name, text, reason) => {
    const error = caught(() => parseSecretKeys(text)) as SecretKeysError;
    expect(error).toBeInstanceOf(SecretKeysError);
    expect(error.code).toBe('E_SECRET_KEYS');
    expect(error.message).toMatch(reason);
    expect(error.message).toContain('WINDHOVER_SECRET_KEYS');
    for (const key of text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part.length > 8))
      expect(error.message).not.toContain(key.slice(0, 8));
  });

  test('generated keys are different and usable', () => {
    const keys = [generateSecretKey(), generateSecretKey()];
    expect(new Set(keys).size).toBe(2);
    expect(parseSecretKeys(keys.join(','))).toEqual(keys);
  });
});

describe('loadOrCreateKeyFile', () => {
  let directory: string;
  let path: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'windhover-keys-'));
    path = join(directory, '.windhover', 'secret.key');
  });

  afterEach(() => rm(directory, { recursive: true }));

  test('makes a key that only its owner may read, and finds it again', async () => {
    const keys = await loadOrCreateKeyFile(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await loadOrCreateKeyFile(path)).toEqual(keys);
    expect(parseSecretKeys(await readFile(path, 'utf8'))).toEqual(keys);
    expect(await readdir(join(directory, '.windhover'))).toEqual(['secret.key']);
  });

  test('many calls at once get one key', async () => {
    const keys = await Promise.all(Array.from({ length: 30 }, () => loadOrCreateKeyFile(path)));
    expect(new Set(keys.flat()).size).toBe(1);
    expect(await readdir(join(directory, '.windhover'))).toEqual(['secret.key']);
  });

  test('many processes at once get one key', async () => {
    const module = new URL('../src/crypto/key-file.ts', import.meta.url).href;
    const script = `import(${JSON.stringify(module)}).then((m) => m.loadOrCreateKeyFile(${JSON.stringify(path)})).then((keys) => console.log(keys[0]))`;
    const run = () => promisify(execFile)(process.execPath, ['--conditions=development', '-e', script]);
    const outputs = await Promise.all(Array.from({ length: 6 }, run));
    expect(new Set(outputs.map(({ stdout }) => stdout.trim())).size).toBe(1);
    expect(parseSecretKeys(outputs[0]!.stdout)).toHaveLength(1);
  });

  test('a file with several keys is read like the variable', async () => {
    await loadOrCreateKeyFile(path);
    await writeFile(path, `${KEY_B},\n${KEY_A}\n`);
    expect(await loadOrCreateKeyFile(path)).toEqual([KEY_B, KEY_A]);
  });

  test('a file that others may read is refused', async () => {
    await loadOrCreateKeyFile(path);
    await chmod(path, 0o644);
    await expect(loadOrCreateKeyFile(path)).rejects.toThrow(`chmod 600 ${path}`);
  });

  test('a damaged file is refused and left alone', async () => {
    await loadOrCreateKeyFile(path);
    await writeFile(path, 'AAAA');
    await expect(loadOrCreateKeyFile(path)).rejects.toMatchObject({ code: 'E_SECRET_KEYS', source: path });
    expect(await readFile(path, 'utf8')).toBe('AAAA');
  });

  test('a place where no file can be made is named', async () => {
    await writeFile(join(directory, 'file'), '');
    const below = join(directory, 'file', 'secret.key');
    await expect(loadOrCreateKeyFile(below)).rejects.toMatchObject({ code: 'E_SECRET_KEYS', source: below });
  });
});
