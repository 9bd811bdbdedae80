import type { LogChunk, LogStore, LogStream } from '../log/log-store.ts';
import type { LogRecord } from '../log/logger.ts';
import { type ConformanceTest, check, checkEqual } from './conformance-test.ts';
import { JSON_KINDS } from './json-kinds.ts';

export interface LogStoreSuite {
  /** An empty store. Called once for each question. */
  create(): Promise<LogStoreSetup>;
}

export interface LogStoreSetup {
  readonly store: LogStore;
  close(): Promise<void>;
}

/** What every log store answers for. */
export function testLogStore(options: LogStoreSuite): readonly ConformanceTest[] {
  return Object.entries(QUESTIONS).map(([name, ask]) => ({
    name,
    async run() {
      const setup = await options.create();
      try {
        await ask(setup.store);
      } finally {
        await setup.close();
      }
    },
  }));
}

const STREAM: Extract<LogStream, { type: 'task' }> = {
  type: 'task',
  dagId: 'daily',
  runId: 'scheduled__2026-01-01T00:00:00.000Z',
  taskId: 'load',
  mapIndex: -1,
  attempt: 1,
};

/** Streams that a careless path would take for one another, or that would lead out of the store's folder. */
const NEIGHBOURS: readonly LogStream[] = [
  STREAM,
  { ...STREAM, attempt: 2 },
  { ...STREAM, attempt: 11 },
  { ...STREAM, mapIndex: 0 },
  { ...STREAM, mapIndex: 1 },
  { ...STREAM, dagId: 'a/b', runId: 'c' },
  { ...STREAM, dagId: 'a', runId: 'b/c' },
  { ...STREAM, dagId: 'a%2Fb', runId: 'c' },
  { ...STREAM, dagId: 'a_b', runId: 'c' },
  { ...STREAM, dagId: '..', runId: '..', taskId: '..' },
  { ...STREAM, dagId: '.', runId: '.', taskId: '.' },
  { ...STREAM, taskId: 'group.load' },
  { ...STREAM, taskId: '../load' },
  { ...STREAM, taskId: '/load' },
  { ...STREAM, taskId: 'a\\b' },
  { ...STREAM, taskId: 'ü 🦅: "load"?*' },
  { type: 'trigger', triggerId: '7' },
  { type: 'trigger', triggerId: '77' },
  { type: 'callback', callbackId: '7' },
];

const QUESTIONS: Readonly<Record<string, (store: LogStore) => Promise<void>>> = {
  async 'records come back in the order they were appended'(store) {
    await store.append([chunk(0, ['a', 'b']), chunk(1, ['c'])]);
    await store.append([chunk(2, ['d', 'e'])]);
    checkEqual(await messages(store), ['a', 'b', 'c', 'd', 'e'], 'the log');
  },

  async 'records come back with all that they carry'(store) {
    const records: LogRecord[] = [
      { at: '2026-01-01T00:00:00.000Z', level: 'debug', message: '' },
      { at: '2026-01-01T00:00:00.001Z', level: 'error', message: 'two\nlines, \u2028 and "quotes" \\ ü🦅' },
      ...JSON_KINDS.map(
        (value): LogRecord => ({ at: '2026-01-01T00:00:00.002Z', level: 'warning', message: 'm', fields: { value } }),
      ),
    ];
    await store.append([{ stream: STREAM, writer: 'worker:1', sequence: 0, records }]);
    checkEqual((await store.read(STREAM)).records, records, 'the records');
  },

  async 'appending a chunk again keeps one, also together with new ones'(store) {
    await store.append([chunk(0, ['a']), chunk(1, ['b'])]);
    await store.append([chunk(0, ['a'])]);
    await store.append([chunk(1, ['b']), chunk(2, ['c']), chunk(2, ['c'])]);
    checkEqual(await messages(store), ['a', 'b', 'c'], 'the log');
  },

  async 'of concurrent appends of the same chunk one is kept'(store) {
    await Promise.all(Array.from({ length: 10 }, () => store.append([chunk(0, ['a', 'b']), chunk(1, ['c'])])));
    checkEqual(await messages(store), ['a', 'b', 'c'], 'the log');
  },

  async 'several writers number their own chunks, and none is lost when they write at once'(store) {
    const writers = ['worker:1', 'worker:11', 'trigger:1', 'trigger/../1'];
    const write = async (writer: string) => {
      for (let i = 0; i < 10; i++) await store.append([chunk(i, [`${writer} ${i}`], { writer })]);
    };
    await Promise.all(writers.map(write));
    const all = await messages(store);
    checkEqual(all.length, 40, 'how many records there are');
    for (const writer of writers) {
      const own = all.filter((message) => message.startsWith(`${writer} `));
      checkEqual(
        own,
        own.map((_, index) => `${writer} ${index}`),
        `the records of ${writer}`,
      );
      checkEqual(own.length, 10, `how many records of ${writer} there are`);
    }
  },

  async 'a cursor goes on where the page ended, also inside a chunk, and stays valid while the log grows'(store) {
    await store.append([chunk(0, ['a', 'b', 'c', 'd', 'e'])]);
    const first = await store.read(STREAM, { limit: 2 });
    checkEqual(texts(first.records), ['a', 'b'], 'the first page');
    await store.append([chunk(1, ['f']), chunk(0, ['x'], { writer: 'trigger:7' })]);
    const second = await store.read(STREAM, { cursor: first.cursor, limit: 4 });
    checkEqual(texts(second.records), ['c', 'd', 'e', 'f'], 'the second page');
    const third = await store.read(STREAM, { cursor: second.cursor });
    checkEqual(texts(third.records), ['x'], 'the third page');
    const empty = await store.read(STREAM, { cursor: third.cursor });
    checkEqual(empty.records, [], 'the page behind the end');
    await store.append([chunk(2, ['g'])]);
    checkEqual(texts((await store.read(STREAM, { cursor: empty.cursor })).records), ['g'], 'what came later');
    checkEqual(
      texts((await store.read(STREAM, { cursor: first.cursor })).records),
      [...'cdefxg'],
      'an old cursor again',
    );
  },

  async 'a page has at most 1,000 records unless told otherwise'(store) {
    const all = Array.from({ length: 1_500 }, (_, index) => String(index));
    await store.append([chunk(0, all.slice(0, 700)), chunk(1, all.slice(700))]);
    const first = await store.read(STREAM);
    checkEqual(first.records.length, 1_000, 'records of the first page');
    const second = await store.read(STREAM, { cursor: first.cursor });
    checkEqual([...texts(first.records), ...texts(second.records)], all, 'both pages');
    checkEqual((await store.read(STREAM, { limit: 1_200 })).records.length, 1_200, 'records with a limit of 1,200');
  },

  async 'an unknown stream is an empty page, whose cursor holds when the log begins'(store) {
    const page = await store.read(STREAM);
    checkEqual(page.records, [], 'the page');
    check(typeof page.cursor === 'string', 'The empty page has no cursor');
    await store.append([chunk(0, ['a'])]);
    checkEqual(texts((await store.read(STREAM, { cursor: page.cursor })).records), ['a'], 'the log that began later');
  },

  async 'an append without chunks or records does nothing'(store) {
    await store.append([]);
    await store.append([chunk(0, [])]);
    await store.append([chunk(1, ['a'])]);
    checkEqual(await messages(store), ['a'], 'the log');
  },

  async 'streams are kept apart, whatever characters their ids have'(store) {
    const append = (stream: LogStream, index: number) => store.append([chunk(0, [`log ${index}`], { stream })]);
    for (const [index, stream] of NEIGHBOURS.entries()) await append(stream, index);
    for (const [index, stream] of NEIGHBOURS.entries())
      checkEqual(await messages(store, stream), [`log ${index}`], `the log of ${JSON.stringify(stream)}`);
  },

  async 'one append may carry chunks of several streams'(store) {
    await store.append(NEIGHBOURS.map((stream, index) => chunk(0, [`log ${index}`], { stream })));
    for (const [index, stream] of NEIGHBOURS.entries())
      checkEqual(await messages(store, stream), [`log ${index}`], `the log of ${JSON.stringify(stream)}`);
  },

  async 'removing takes one attempt away and nothing else, and twice is harmless'(store) {
    for (const stream of NEIGHBOURS) await store.append([chunk(0, ['a'], { stream })]);
    for (let i = 0; i < 2; i++) await store.remove(STREAM);
    await store.remove({ ...STREAM, taskId: 'unknown' });
    checkEqual(await messages(store), [], 'the removed log');
    for (const stream of NEIGHBOURS.slice(1))
      checkEqual(await messages(store, stream), ['a'], `the log of ${JSON.stringify(stream)}`);
  },
};

function chunk(
  sequence: number,
  lines: readonly string[],
  { stream = STREAM, writer = 'worker:1' }: { readonly stream?: LogStream; readonly writer?: string } = {},
): LogChunk {
  const records = lines.map((message): LogRecord => ({ at: '2026-01-01T00:00:00.000Z', level: 'info', message }));
  return { stream, writer, sequence, records };
}

async function messages(store: LogStore, stream: LogStream = STREAM): Promise<readonly string[]> {
  return texts((await store.read(stream)).records);
}

function texts(records: readonly LogRecord[]): readonly string[] {
  return records.map(({ message }) => message);
}
