import type { Json, Logger, LogLevel, LogRecord, UnaddressedLogChunk } from '@windhover/core';
import type { Masker } from './masker.ts';

export interface TaskLogOptions {
  /** `worker:<epoch>`. */
  readonly writer: string;
  readonly masker: Masker;
  /** Resolves when the chunks are kept. The same chunks come again if it rejects. */
  send(chunks: readonly UnaddressedLogChunk[]): Promise<void>;
}

/**
 * What a task writes, on its way to the platform in numbered chunks. Lines leave together after a short while, or at once
 * when there are many. Secrets are masked as late as possible: one may become known after it was written.
 */
export class TaskLog {
  readonly logger: Logger;
  readonly #options: TaskLogOptions;
  #records: LogRecord[] = [];
  #size = 0;
  #sequence = 0;
  /** Made but not yet kept. */
  #chunks: UnaddressedLogChunk[] = [];
  #sending: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TaskLogOptions) {
    this.#options = options;
    const writer = (level: LogLevel) => (message: string, fields?: Readonly<Record<string, Json>>) =>
      this.write(level, message, fields);
    this.logger = { debug: writer('debug'), info: writer('info'), warning: writer('warning'), error: writer('error') };
  }

  write(level: LogLevel, message: string, fields?: Readonly<Record<string, Json>>): void {
    const text = String(message);
    this.#records.push({ at: new Date().toISOString(), level, message: text, ...(fields && { fields }) });
    this.#size += text.length;
    if (this.#size >= FLUSH_SIZE) this.#flushQuietly();
    else this.#timer ??= setTimeout(() => this.#flushQuietly(), FLUSH_MS).unref();
  }

  /** Resolves when everything written so far is kept; rejects if it is not, and then keeps it for the next call. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#sending || this.#records.length > 0 || this.#chunks.length > 0) {
      this.#sending ??= this.#sendSome().finally(() => {
        this.#sending = null;
      });
      await this.#sending;
    }
  }

  /** A failure is met again by the flush before the report, and told there. */
  #flushQuietly(): void {
    this.flush().catch(() => {});
  }

  async #sendSome(): Promise<void> {
    this.#cut();
    const chunks = this.#chunks.slice(0, CHUNKS_A_CALL);
    await this.#options.send(chunks);
    this.#chunks.splice(0, chunks.length);
  }

  /** Makes chunks of what was written. Once numbered they stay as they are, so that sending them again is harmless. */
  #cut(): void {
    const { writer } = this.#options;
    let records: LogRecord[] = [];
    let size = 0;
    const close = () => {
      if (records.length > 0) this.#chunks.push({ writer, sequence: this.#sequence++, records });
      [records, size] = [[], 0];
    };
    for (const record of this.#records.flatMap((each) => this.#finish(each))) {
      records.push(record);
      size += record.message.length;
      if (size >= CHUNK_SIZE || records.length >= CHUNK_RECORDS) close();
    }
    close();
    this.#records = [];
    this.#size = 0;
  }

  #finish(record: LogRecord): LogRecord[] {
    const { masker } = this.#options;
    const message = masker.mask(record.message);
    const rest = record.fields ? { ...record, fields: masker.maskJson(record.fields) } : record;
    if (message.length <= CHUNK_SIZE) return [{ ...rest, message }];
    const pieces = Math.ceil(message.length / CHUNK_SIZE);
    return Array.from({ length: pieces }, (_, index) => ({
      ...rest,
      message: message.slice(index * CHUNK_SIZE, (index + 1) * CHUNK_SIZE),
    }));
  }
}

const FLUSH_MS = 200;
const FLUSH_SIZE = 64 * 1024;
const CHUNK_SIZE = 128 * 1024;
const CHUNK_RECORDS = 1_000;
/** So that a message stays below a megabyte or so. */
const CHUNKS_A_CALL = 8;
