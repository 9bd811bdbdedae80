import { createHash } from 'node:crypto';
import type { S3Object } from './s3-hook.ts';

/** What is remembered of the objects below a prefix between two looks. Small, however many they are. */
export interface PrefixState {
  /** Of keys, contents and times: an object written again under its name changes it. */
  readonly digest: string;
  readonly count: number;
  readonly changedAt: Date;
  /** Eight bytes for each key, sorted; only where deletions must be told from other changes. */
  readonly keys?: Uint8Array;
}

/** Compares a listing with what was seen before; undefined: this is the first look. */
export async function observePrefix(
  pages: AsyncIterable<readonly S3Object[]>,
  before: PrefixState | undefined,
  options: { readonly now: Date; readonly keepsKeys: boolean },
): Promise<{ readonly state: PrefixState; readonly deleted: number }> {
  const hash = createHash('sha256');
  const keys: string[] = [];
  let count = 0;
  for await (const page of pages) {
    for (const { key, eTag, size, lastModified } of page) {
      count += 1;
      hash.update(JSON.stringify([key, eTag, size, lastModified.getTime()]));
      if (options.keepsKeys) keys.push(createHash('sha256').update(key).digest('hex').slice(0, 16));
    }
  }
  const digest = hash.digest('base64');
  const changedAt = before?.digest === digest ? before.changedAt : options.now;
  const known = new Set(keys);
  return {
    state: {
      digest,
      count,
      changedAt,
      ...(options.keepsKeys ? { keys: new Uint8Array(Buffer.from(keys.sort().join(''), 'hex')) } : {}),
    },
    deleted: splitKeys(before?.keys).filter((key) => !known.has(key)).length,
  };
}

function splitKeys(keys: Uint8Array | undefined): readonly string[] {
  return keys ? (Buffer.from(keys).toString('hex').match(/.{16}/g) ?? []) : [];
}
