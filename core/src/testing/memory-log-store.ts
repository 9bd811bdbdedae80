import type { LogChunk, LogPage, LogReadOptions, LogStore, LogStream } from '../log/log-store.ts';
import type { LogRecord } from '../log/logger.ts';

const READ_LIMIT = 1_000;

/** Logs within one process, gone with it. */
export class MemoryLogStore implements LogStore {
  readonly #logs = new Map<string, { readonly records: LogRecord[]; readonly chunks: Set<string> }>();

  async append(chunks: readonly LogChunk[]): Promise<void> {
    for (const { stream, writer, sequence, records } of chunks) {
      const log = this.#logs.get(name(stream)) ?? { records: [], chunks: new Set<string>() };
      this.#logs.set(name(stream), log);
      const chunk = JSON.stringify([writer, sequence]);
      if (log.chunks.has(chunk)) continue;
      log.chunks.add(chunk);
      log.records.push(...structuredClone(records));
    }
  }

  async read(stream: LogStream, options: LogReadOptions = {}): Promise<LogPage> {
    const { cursor = '0', limit = READ_LIMIT } = options;
    const begin = Number(cursor);
    const records = (this.#logs.get(name(stream))?.records ?? []).slice(begin, begin + limit);
    return { records, cursor: String(begin + records.length) };
  }

  async remove(stream: LogStream): Promise<void> {
    this.#logs.delete(name(stream));
  }
}

function name(stream: LogStream): string {
  if (stream.type === 'trigger') return JSON.stringify(['trigger', stream.triggerId]);
  if (stream.type === 'callback') return JSON.stringify(['callback', stream.callbackId]);
  const { dagId, runId, taskId, mapIndex, attempt } = stream;
  return JSON.stringify(['task', dagId, runId, taskId, mapIndex, attempt]);
}
