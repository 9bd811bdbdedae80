import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { generateSecretKey, parseSecretKeys } from './secret-keys.ts';
import { SecretKeysError } from './secret-keys-error.ts';

/**
 * The keys of a key file, which is made with a new key if it is not there: `.windhover/secret.key` of a project that
 * runs standalone. Processes that do it at once get the same key. Only its owner may read the file.
 */
export async function loadOrCreateKeyFile(path: string): Promise<string[]> {
  return (await load(path)) ?? (await create(path)) ?? (await loadOrThrow(path));
}

async function load(path: string): Promise<string[] | null> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new SecretKeysError(path, `the file cannot be read (${error.code}).`, { cause: error });
  });
  if (file === null) return null;
  try {
    const { mode } = await file.stat();
    // Windows has no such bits.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new SecretKeysError(path, `other users may read the file. Run: chmod 600 ${path}`);
    return parseSecretKeys(await file.readFile('utf8'), path);
  } finally {
    await file.close();
  }
}

/** Null if another process was first. */
async function create(path: string): Promise<string[] | null> {
  const key = generateSecretKey();
  await mkdir(dirname(path), { recursive: true });
  // Linked into place when it is complete: nobody reads half a key, and the second of two is refused.
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${key}\n`);
      // What is encrypted with a key that a power cut erased is lost.
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path);
    return [key];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw new SecretKeysError(path, `the file cannot be made (${(error as NodeJS.ErrnoException).code}).`, {
      cause: error,
    });
  } finally {
    await rm(draft, { force: true });
  }
}

async function loadOrThrow(path: string): Promise<string[]> {
  const keys = await load(path);
  if (keys === null) throw new SecretKeysError(path, 'another process made the file and has removed it again.');
  return keys;
}
