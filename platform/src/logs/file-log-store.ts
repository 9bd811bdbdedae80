import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
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

  async read(stream: LogStream, { cursor = '0', limit = 1000 }: LogReadOptions = {}): Promise<LogPage> {
    await this.#writing;
    const records = (await readLines(this.#fileOf(stream))).flatMap((line) => line.records);
    const begin = Number(cursor);
    const page = records.slice(begin, begin + limit);
    return { records: page, cursor: String(begin + page.length) };
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
    const known = this.#kept.get(file) ?? readLines(file).then((lines) => new Set(lines.map(({ name }) => name)));
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
}

async function readLines(file: string): Promise<Line[]> {
  try {
    const text = await readFile(file, 'utf8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return [];
    throw error;
  }
}

/** A name that no file system takes for a path, and that is told from every other. */
function encode(id: string): string {
  return `_${encodeURIComponent(id).replaceAll('*', '%2A').replaceAll('.', '%2E')}`;
}
