import type { TaskInstanceKey } from '../task-instance/task-instance-key.ts';
import type { LogRecord } from './logger.ts';

/**
 * One log: that of an attempt of a task instance, to which its worker and its own triggers write; of a trigger that
 * several tasks share; or of a callback.
 */
export type LogStream =
  | ({ readonly type: 'task'; readonly attempt: number } & TaskInstanceKey)
  | { readonly type: 'trigger'; readonly triggerId: string }
  | { readonly type: 'callback'; readonly callbackId: string };

/** A piece of a log. Sending it again is harmless: a store keeps one chunk for each (stream, writer, sequence). */
export interface LogChunk extends UnaddressedLogChunk {
  readonly stream: LogStream;
}

/** As its writer sends it: which log it belongs to follows from who sends it. */
export interface UnaddressedLogChunk {
  /** Who wrote it, such as `worker:3` (its epoch), `trigger:17` or a callback's workload id; each writer numbers its own chunks. */
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
  /** Removes one log. Nothing happens if there is none. */
  remove(stream: LogStream): Promise<void>;
  /** When the platform stops. Default: nothing. */
  close?(): Promise<void>;
}

export interface LogReadOptions {
  /** Default: the beginning. */
  readonly cursor?: string;
  /** How many records at most. Default: 1,000. */
  readonly limit?: number;
}
