import type { TaskInstanceKey } from '../task-instance/task-instance-key.ts';
import type { LogRecord } from './logger.ts';

/** The log of one attempt of a task instance; its worker and its triggers write to the same one. */
export interface LogStream extends TaskInstanceKey {
  readonly attempt: number;
}

/**
 * A piece of a log. Sending it again is harmless: a store keeps one chunk for each (stream, writer, sequence).
 */
export interface LogChunk {
  readonly stream: LogStream;
  /** Who wrote it, such as `worker:3` (its epoch) or `trigger:17`; each writer numbers its own chunks. */
  readonly writer: string;
  /** From 0, without gaps. */
  readonly sequence: number;
  readonly records: readonly LogRecord[];
}

/** Reads on from where a former read ended. */
export interface LogPage {
  readonly records: readonly LogRecord[];
  /** Pass it to the next read. It stays valid while the log grows. */
  readonly cursor: string;
}

/** Where logs are kept. Chosen in `windhover.config.ts` by classpath; runs in the platform. */
export interface LogStore {
  /** Resolves when the chunks are kept, in the order given. Idempotent for each (stream, writer, sequence). */
  append(chunks: readonly LogChunk[]): Promise<void>;
  /** Records in the order they were appended. An unknown stream is an empty page, and makes no file. */
  read(stream: LogStream, options?: LogReadOptions): Promise<LogPage>;
  /** Removes the log of one attempt. Nothing happens if there is none. */
  remove(stream: LogStream): Promise<void>;
}

export interface LogReadOptions {
  /** Default: the beginning. */
  readonly cursor?: string;
  /** How many records at most. Default: 1,000. */
  readonly limit?: number;
}
