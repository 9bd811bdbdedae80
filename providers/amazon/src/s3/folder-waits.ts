import { canonicalize, type TriggerScope } from '@windhover/core';
import type { AwsOptions } from '../aws/aws-options.ts';
import type { S3Hook } from './s3-hook.ts';
import type { S3Location } from './s3-url.ts';

/** More pages than this cost more than a look for each key. */
const MAX_PAGES = 10;

/**
 * The waits of this process for keys in one folder, seen alike. A single one looks for its key only. From two on they
 * share a listing of the folder, once for each interval, unless the folder is too large for that.
 */
export class FolderWaits {
  static readonly #folders = new Map<string, { waiting: number; listedAt: number }>();
  readonly #name: string;
  readonly #place: S3Location;
  readonly #intervalMs: number;

  constructor(target: S3Location, intervalMs: number, options: AwsOptions) {
    const folder = target.key.slice(0, target.key.lastIndexOf('/') + 1);
    this.#place = { bucketName: target.bucketName, key: folder };
    this.#intervalMs = intervalMs;
    this.#name = `s3-folder ${canonicalize([this.#place, intervalMs, options])}`;
  }

  /** Answers a function that leaves again. */
  join(): () => void {
    const folders = FolderWaits.#folders;
    const folder = folders.get(this.#name) ?? { waiting: 0, listedAt: Number.NEGATIVE_INFINITY };
    folder.waiting += 1;
    folders.set(this.#name, folder);
    return () => {
      folder.waiting -= 1;
      if (folder.waiting === 0) folders.delete(this.#name);
    };
  }

  /** The keys of the folder, at most an interval old; null where it is better to look alone. */
  async keys(hook: S3Hook, scope: TriggerScope): Promise<ReadonlySet<string> | null> {
    const folder = FolderWaits.#folders.get(this.#name);
    const now = scope.now().getTime();
    // The last one that is left still finds the listing that the others have paid for.
    if (!folder || (folder.waiting < 2 && now - folder.listedAt >= this.#intervalMs)) return null;
    return scope.shared(this.#name, this.#intervalMs, (signal) => {
      folder.listedAt = now;
      return this.#list(hook, signal);
    });
  }

  async #list(hook: S3Hook, signal: AbortSignal): Promise<ReadonlySet<string> | null> {
    const keys = new Set<string>();
    let pages = 0;
    const { bucketName, key: prefix } = this.#place;
    for await (const page of hook.listPages({ bucketName, prefix, delimiter: '/', signal })) {
      pages += 1;
      if (pages > MAX_PAGES) return null;
      for (const { key } of page) keys.add(key);
    }
    return keys;
  }
}
