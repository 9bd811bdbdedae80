import { describe, expect, test } from 'vitest';
import type { LogChunk, LogReadOptions, LogStore, LogStream } from '../../src/log/log-store.ts';
import { MemoryLogStore } from '../../src/testing/memory-log-store.ts';
import { testLogStore } from '../../src/testing/test-log-store.ts';
import { failedQuestions } from './failed-questions.ts';

const suite = (store: new () => LogStore) =>
  testLogStore({
    async create() {
      return { store: new store(), close: async () => {} };
    },
  });

describe('the memory log store', () => {
  for (const { name, run } of suite(MemoryLogStore)) test(name, run);
});

describe('the log store suite finds', () => {
  const defects: Record<string, [store: new () => LogStore, question: string]> = {
    'an append that is not idempotent': [
      appending((chunk, count) => ({ ...chunk, sequence: count })),
      'appending a chunk again keeps one, also together with new ones',
    ],
    'a check for duplicates that is not atomic': [
      class extends MemoryLogStore {
        readonly #seen = new Set<string>();
        #count = 0;
        override async append(chunks: readonly LogChunk[]) {
          for (const chunk of chunks) {
            const name = JSON.stringify([chunk.stream, chunk.writer, chunk.sequence]);
            const isKnown = this.#seen.has(name);
            await Promise.resolve();
            if (!isKnown) await super.append([{ ...chunk, sequence: this.#count++ }]);
            this.#seen.add(name);
          }
        }
      },
      'of concurrent appends of the same chunk one is kept',
    ],
    'writers that share their numbers': [
      appending((chunk) => ({ ...chunk, writer: '' })),
      'several writers number their own chunks, and none is lost when they write at once',
    ],
    'attempts that share a log': [
      appending((chunk) => ({ ...chunk, stream: { ...chunk.stream, attempt: 1 } })),
      'streams are kept apart, whatever characters their ids have',
    ],
    'a path that joins ids as they are': [
      class extends MemoryLogStore {
        override append(chunks: readonly LogChunk[]) {
          return super.append(chunks.map((chunk) => ({ ...chunk, stream: joined(chunk.stream) })));
        }
        override read(stream: LogStream, options?: LogReadOptions) {
          return super.read(joined(stream), options);
        }
      },
      'streams are kept apart, whatever characters their ids have',
    ],
    'fields that are dropped': [
      appending((chunk) => ({ ...chunk, records: chunk.records.map(({ fields: _, ...record }) => record) })),
      'records come back with all that they carry',
    ],
    'messages cut at a newline': [
      appending((chunk) => ({
        ...chunk,
        records: chunk.records.map((record) => ({ ...record, message: record.message.split('\n')[0]! })),
      })),
      'records come back with all that they carry',
    ],
    'chunks in the wrong order': [
      class extends MemoryLogStore {
        override append(chunks: readonly LogChunk[]) {
          return super.append(chunks.toReversed());
        }
      },
      'records come back in the order they were appended',
    ],
    'a cursor that is ignored': [
      class extends MemoryLogStore {
        override read(stream: LogStream, { cursor: _, ...options }: LogReadOptions = {}) {
          return super.read(stream, options);
        }
      },
      'a cursor goes on where the page ended, also inside a chunk, and stays valid while the log grows',
    ],
    'a limit that is ignored': [
      class extends MemoryLogStore {
        override read(stream: LogStream, options: LogReadOptions = {}) {
          return super.read(stream, { ...options, limit: 100_000 });
        }
      },
      'a page has at most 1,000 records unless told otherwise',
    ],
    'an unknown stream that rejects': [
      class extends MemoryLogStore {
        override async read(stream: LogStream, options?: LogReadOptions) {
          const page = await super.read(stream, options);
          if (page.cursor === '0') throw new Error('ENOENT');
          return page;
        }
      },
      'an unknown stream is an empty page, whose cursor holds when the log begins',
    ],
    'a removal that takes other attempts too': [
      class extends MemoryLogStore {
        override async remove(stream: LogStream) {
          if (stream.type !== 'task') return super.remove(stream);
          for (const attempt of [1, 2, 3]) await super.remove({ ...stream, attempt });
        }
      },
      'removing takes one attempt away and nothing else, and twice is harmless',
    ],
    'a removal that does nothing': [
      class extends MemoryLogStore {
        override async remove() {}
      },
      'removing takes one attempt away and nothing else, and twice is harmless',
    ],
  };

  for (const [defect, [store, question]] of Object.entries(defects))
    test(defect, async () => expect(await failedQuestions(suite(store))).toContain(question));
});

/** A store that changes each chunk before it keeps it. */
function appending(change: (chunk: LogChunk, count: number) => LogChunk): new () => LogStore {
  let count = 0;
  return class extends MemoryLogStore {
    override append(chunks: readonly LogChunk[]) {
      return super.append(chunks.map((chunk) => change(chunk, count++)));
    }
  };
}

function joined(stream: LogStream): LogStream {
  if (stream.type !== 'task') return stream;
  const { dagId, runId, taskId } = stream;
  return { ...stream, dagId: `${dagId}/${runId}/${taskId}`, runId: '', taskId: '' };
}
