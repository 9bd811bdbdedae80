import type { Json } from '../json.ts';
import { RETURN_VALUE, type XComBackend, type XComKey } from '../xcom/xcom-backend.ts';
import { type ConformanceTest, checkEqual, checkRejects } from './conformance-test.ts';
import { JSON_KINDS } from './json-kinds.ts';

export interface XComBackendSuite {
  /** Called once for each question. */
  create(): Promise<XComBackendSetup>;
}

export interface XComBackendSetup {
  readonly backend: XComBackend;
  /** A second backend on the same storage, as on another worker. Default: the first one is asked again. */
  another?(): Promise<XComBackend>;
  close(): Promise<void>;
}

/** What every XCom backend answers for. */
export function testXComBackend(options: XComBackendSuite): readonly ConformanceTest[] {
  return Object.entries(QUESTIONS).map(([name, ask]) => ({
    name,
    async run() {
      const setup = await options.create();
      try {
        await ask(setup.backend, (await setup.another?.()) ?? setup.backend);
      } finally {
        await setup.close();
      }
    },
  }));
}

const KEY: XComKey = {
  dagId: 'daily',
  runId: 'scheduled__2026-01-01T00:00:00.000Z',
  taskId: 'load',
  mapIndex: -1,
  key: RETURN_VALUE,
};

/** Neighbours that a careless path or a joined text would take for one another. */
const NEIGHBOURS: readonly (readonly [XComKey, attempt: number])[] = [
  [KEY, 1],
  [KEY, 2],
  [KEY, 11],
  [{ ...KEY, mapIndex: 0 }, 1],
  [{ ...KEY, mapIndex: 1 }, 1],
  [{ ...KEY, key: 'rows' }, 1],
  [{ ...KEY, key: 'load/rows' }, 1],
  [{ ...KEY, taskId: 'load/load', key: 'rows' }, 1],
  [{ ...KEY, taskId: 'load', key: '..' }, 1],
  [{ ...KEY, taskId: '..', key: 'load' }, 1],
  [{ ...KEY, key: 'a%2Fb' }, 1],
  [{ ...KEY, key: 'a/b' }, 1],
  [{ ...KEY, runId: 'manual__2026-01-01' }, 1],
  [{ ...KEY, dagId: 'weekly ü' }, 1],
];

const QUESTIONS: Readonly<Record<string, (backend: XComBackend, another: XComBackend) => Promise<void>>> = {
  async 'a value of every JSON kind comes back equal, on another worker too'(backend, another) {
    for (const [index, value] of JSON_KINDS.entries()) {
      const reference = await backend.store({ ...KEY, key: `kind ${index}` }, 1, value);
      checkEqual(await backend.load(reference), value, 'the value');
      checkEqual(await another.load(reference), value, 'the value on another worker');
    }
  },

  async 'the reference is plain JSON'(backend) {
    const reference = await backend.store(KEY, 1, 'value');
    const copy = JSON.parse(JSON.stringify(reference)) as Json;
    checkEqual(copy, reference, 'the reference after a way through JSON');
    checkEqual(await backend.load(copy), 'value', 'the value behind the copied reference');
  },

  async 'storing the same key again replaces the value'(backend, another) {
    const first = await backend.store(KEY, 1, 'first');
    const second = await another.store(KEY, 1, 'second');
    checkEqual(await backend.load(second), 'second', 'the value behind the new reference');
    // The old reference may be gone or lead to the new value; kept beside it, the old value would stay for ever.
    checkEqual(await backend.load(first).catch(() => 'second'), 'second', 'the value behind the old reference');
  },

  async 'tasks, map indexes, keys and attempts are kept apart'(backend) {
    const references: Json[] = [];
    for (const [index, [key, attempt]] of NEIGHBOURS.entries())
      references.push(await backend.store(key, attempt, index));
    for (const [index, reference] of references.entries())
      checkEqual(await backend.load(reference), index, `the value of ${JSON.stringify(NEIGHBOURS[index])}`);
    await backend.remove(references[0]!);
    for (const [index, reference] of references.entries())
      if (index > 0) checkEqual(await backend.load(reference), index, 'a value after the removal of another');
  },

  async 'a value of one megabyte comes back equal'(backend) {
    const value = { rows: Array.from({ length: 10_000 }, (_, id) => ({ id, text: 'ü'.repeat(40) })) };
    checkEqual(await backend.load(await backend.store(KEY, 1, value)), value, 'the large value');
  },

  async 'what is stored does not change with its object'(backend) {
    const value = { list: [1] };
    const reference = await backend.store(KEY, 1, value);
    value.list.push(2);
    checkEqual(await backend.load(reference), { list: [1] }, 'the stored value');
  },

  async 'many values at once are all kept'(backend) {
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const store = (index: number) => backend.store({ ...KEY, mapIndex: index }, 1, index);
    const references = await Promise.all(numbers.map(store));
    checkEqual(await Promise.all(references.map((each) => backend.load(each))), numbers, 'the values');
  },

  async 'loading rejects after removal, and removing again does nothing'(backend, another) {
    const reference = await backend.store(KEY, 1, 'value');
    await backend.remove(reference);
    await checkRejects(backend.load(reference), 'load() answered for a reference that was removed');
    await checkRejects(another.load(reference), 'load() on another worker answered for a removed reference');
    await backend.remove(reference);
    await another.remove(reference);
  },
};
