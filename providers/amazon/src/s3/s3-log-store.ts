import type { LogChunk, LogPage, LogReadOptions, LogRecord, LogStore, LogStream } from '@windhover/core';
import { type ChunkName, formatChunkName, parseChunkName } from './log-chunk-name.ts';
import type { S3Hook } from './s3-hook.ts';
import { keySegment, type S3StoreOptions, storeHook } from './s3-store.ts';

/**
 * Keeps logs in S3, an object for each chunk, because objects cannot grow. Several servers may write and read at once:
 * nothing is read before it is written, and a chunk that was sent twice is shown once.
 */
export class S3LogStore implements LogStore {
  readonly #hook: S3Hook;
  readonly #bucketName: string;
  readonly #prefix: string;
  #lastStamp = 0;

  constructor(options: S3StoreOptions) {
    this.#hook = storeHook(options);
    this.#bucketName = options.bucketName;
    this.#prefix = options.prefix ?? 'windhover';
  }

  async append(chunks: readonly LogChunk[]): Promise<void> {
    const filled = chunks.filter(({ records }) => records.length > 0);
    // The names are given in order; the objects may then be written in any.
    const named = filled.map((chunk) => ({ chunk, key: this.#newKey(chunk) }));
    await inGroups(named, ({ chunk, key }) =>
      this.#hook.writeKey({ bucketName: this.#bucketName, key }, JSON.stringify(chunk.records)),
    );
  }

  async read(stream: LogStream, { cursor, limit = 1_000 }: LogReadOptions = {}): Promise<LogPage> {
    const before = decodeCursor(cursor);
    const after = { ...before };
    const wanted: { key: string; from: number; to: number }[] = [];
    let room = limit;
    for (const { key, name } of await this.#chunksOf(stream)) {
      const { writer, sequence, count } = name;
      const [next, offset] = before[writer] ?? [0, 0];
      if (room === 0 || sequence < next) continue;
      const from = sequence === next ? offset : 0;
      const to = Math.min(count, from + room);
      wanted.push({ key, from, to });
      room -= to - from;
      after[writer] = to === count ? [sequence + 1, 0] : [sequence, to];
    }
    const pages = await inGroups(wanted, async ({ key, from, to }) => {
      const text = await this.#hook.readKey({ bucketName: this.#bucketName, key });
      return (JSON.parse(text ?? '[]') as LogRecord[]).slice(from, to);
    });
    return { records: pages.flat(), cursor: encodeCursor(after) };
  }

  async remove(stream: LogStream): Promise<void> {
    const keys = await this.#hook.listKeys({ bucketName: this.#bucketName, prefix: this.#folderOf(stream) });
    await this.#hook.deleteKeys(this.#bucketName, keys);
  }

  /** In the order in which they were appended, each once. */
  async #chunksOf(stream: LogStream): Promise<readonly { key: string; name: ChunkName }[]> {
    const keys = await this.#hook.listKeys({ bucketName: this.#bucketName, prefix: this.#folderOf(stream) });
    const seen = new Set<string>();
    return keys
      .map((key) => ({ key, name: parseChunkName(key) }))
      .filter(({ name: { writer, sequence } }) => {
        const id = JSON.stringify([writer, sequence]);
        if (seen.has(id)) return false;
        seen.add(id);
        return true;
      });
  }

  #newKey({ stream, writer, sequence, records }: LogChunk): string {
    // Microseconds, so that a thousand chunks of one millisecond keep their order.
    this.#lastStamp = Math.max(this.#lastStamp + 1, Date.now() * 1_000);
    return `${this.#folderOf(stream)}${formatChunkName({ stamp: this.#lastStamp, writer, sequence, count: records.length })}`;
  }

  #folderOf(stream: LogStream): string {
    const root = `${this.#prefix}/logs`;
    if (stream.type === 'trigger') return `${root}/triggers/${keySegment(stream.triggerId)}/`;
    if (stream.type === 'callback') return `${root}/callbacks/${keySegment(stream.callbackId)}/`;
    const { dagId, runId, taskId, mapIndex, attempt } = stream;
    return `${root}/tasks/${[dagId, runId, taskId].map(keySegment).join('/')}/${mapIndex}.${attempt}/`;
  }
}

/** For each writer the next chunk, and how many of its records were read. So nothing that comes late is missed. */
type Cursor = Readonly<Record<string, readonly [sequence: number, offset: number]>>;

function decodeCursor(cursor: string | undefined): Cursor {
  return cursor === undefined ? {} : (JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Cursor);
}

function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** Sixteen requests at a time. */
async function inGroups<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += 16)
    results.push(...(await Promise.all(items.slice(start, start + 16).map(run))));
  return results;
}
