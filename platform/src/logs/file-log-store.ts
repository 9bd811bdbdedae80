import { appendFile, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LogChunk, LogPage, LogReadOptions, LogRecord, LogStore, LogStream } from '@windhover/core';

/** Logs as files of JSON lines, one for each stream; a line is a chunk. No output, no file. */
export class FileLogStore implements LogStore {
  readonly #folder: string;
  /** Chunks that were kept, by file; a file is read once when it is first written to. */
  readonly #kept = new Map<string, Promise<Set<string>>>();
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: { readonly folder: string }) {
    this.#folder = options.folder;
  }

  append(chunks: readonly LogChunk[]): Promise<void> {
    // One append after the other, so that the same chunk sent twice at once is kept once, and lines stay whole.
    const done = this.#writing.then(() => this.#append(chunks));
    this.#writing = done.catch(() => {});
    return done;
  }

  /** The cursor is a place in the file: reading on costs only what is new. */
  async read(stream: LogStream, { cursor = '0:0', limit = 1000 }: LogReadOptions = {}): Promise<LogPage> {
    await this.#writing;
    const [begin, skipped] = cursor.split(':').map(Number) as [number, number];
    const records: LogRecord[] = [];
    let [offset, taken] = [begin, skipped];
    for await (const line of readLines(this.#fileOf(stream), begin)) {
      const rest = line.records.slice(taken);
      const wanted = rest.slice(0, limit - records.length);
      records.push(...wanted);
      [offset, taken] = wanted.length < rest.length ? [line.begin, taken + wanted.length] : [line.end, 0];
      if (records.length === limit) break;
    }
    return { records, cursor: `${offset}:${taken}` };
  }

  async remove(stream: LogStream): Promise<void> {
    await this.#writing;
    this.#kept.delete(this.#fileOf(stream));
    await rm(this.#fileOf(stream), { force: true });
  }

  async #append(chunks: readonly LogChunk[]): Promise<void> {
    const texts = new Map<string, string>();
    for (const { stream, writer, sequence, records } of chunks) {
      if (records.length === 0) continue;
      const file = this.#fileOf(stream);
      const name = JSON.stringify([writer, sequence]);
      const kept = await this.#keptIn(file);
      if (kept.has(name)) continue;
      kept.add(name);
      texts.set(file, `${texts.get(file) ?? ''}${JSON.stringify({ name, records })}\n`);
    }
    for (const [file, text] of texts) {
      await mkdir(dirname(file), { recursive: true });
      await appendFile(file, text);
    }
  }

  #keptIn(file: string): Promise<Set<string>> {
    const known = this.#kept.get(file) ?? readNames(file);
    this.#kept.set(file, known);
    // Only the logs written to lately; an older one is read again when it is needed.
    if (this.#kept.size > 1000) this.#kept.delete(this.#kept.keys().next().value!);
    return known;
  }

  #fileOf(stream: LogStream): string {
    if (stream.type === 'trigger') return join(this.#folder, 'triggers', `${encode(stream.triggerId)}.jsonl`);
    if (stream.type === 'callback') return join(this.#folder, 'callbacks', `${encode(stream.callbackId)}.jsonl`);
    const { dagId, runId, taskId, mapIndex, attempt } = stream;
    return join(this.#folder, 'tasks', encode(dagId), encode(runId), encode(taskId), `${mapIndex}.${attempt}.jsonl`);
  }
}

interface Line {
  readonly name: string;
  readonly records: readonly LogRecord[];
  /** Where it begins and ends in the file, in bytes. */
  readonly begin: number;
  readonly end: number;
}

async function readNames(file: string): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const { name } of readLines(file, 0)) names.add(name);
  return names;
}

/** Whole lines from a place on; one that is just being written is left for later. */
async function* readLines(file: string, begin: number): AsyncGenerator<Line, void, void> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!handle) return;
  try {
    let rest: Buffer = Buffer.alloc(0);
    let place = begin;
    for (let position = begin; ; ) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(SLICE_BYTES), 0, SLICE_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        const line = JSON.parse(rest.toString('utf8', 0, end)) as Pick<Line, 'name' | 'records'>;
        yield { ...line, begin: place, end: place + end + 1 };
        place += end + 1;
        rest = rest.subarray(end + 1);
      }
    }
  } finally {
    await handle.close();
  }
}

const SLICE_BYTES = 65_536;
const NEWLINE = 10;

/** A name that no file system takes for a path, and that is told from every other. */
function encode(id: string): string {
  return `_${encodeURIComponent(id).replaceAll('*', '%2A').replaceAll('.', '%2E')}`;
}
