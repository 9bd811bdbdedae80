import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/json.ts';
import { MemoryXComBackend } from '../../src/testing/memory-xcom-backend.ts';
import { testXComBackend } from '../../src/testing/test-xcom-backend.ts';
import type { XComBackend, XComKey } from '../../src/xcom/xcom-backend.ts';
import { failedQuestions } from './failed-questions.ts';

const suite = (backend: new (values: Map<string, string>) => XComBackend) =>
  testXComBackend({
    async create() {
      const values = new Map<string, string>();
      return { backend: new backend(values), another: async () => new backend(values), close: async () => {} };
    },
  });

describe('the memory XCom backend', () => {
  for (const { name, run } of suite(MemoryXComBackend)) test(name, run);
});

describe('the XCom backend suite finds', () => {
  const defects: Record<string, [backend: new (values: Map<string, string>) => XComBackend, question: string]> = {
    'attempts that overwrite each other': [
      class extends MemoryXComBackend {
        override store(key: XComKey, _attempt: number, value: Json) {
          return super.store(key, 1, value);
        }
      },
      'tasks, map indexes, keys and attempts are kept apart',
    ],
    'a path that joins ids as they are': [
      class extends MemoryXComBackend {
        override store(key: XComKey, attempt: number, value: Json) {
          const joined = `${key.taskId}/${key.key}`;
          return super.store({ ...key, taskId: '', key: joined }, attempt, value);
        }
      },
      'tasks, map indexes, keys and attempts are kept apart',
    ],
    'an empty value that becomes null': [
      class extends MemoryXComBackend {
        override store(key: XComKey, attempt: number, value: Json) {
          return super.store(key, attempt, value || null);
        }
      },
      'a value of every JSON kind comes back equal, on another worker too',
    ],
    'values that stay on one worker': [
      class extends MemoryXComBackend {
        constructor(_shared: Map<string, string>) {
          super(new Map());
        }
      },
      'a value of every JSON kind comes back equal, on another worker too',
    ],
    'an old value that stays beside the new one': [
      class extends MemoryXComBackend {
        override store(key: XComKey, attempt: number, value: Json) {
          return super.store({ ...key, key: `${key.key} ${Math.random()}` }, attempt, value);
        }
      },
      'storing the same key again replaces the value',
    ],
    'a reference that is no JSON': [
      class extends MemoryXComBackend {
        override async store(key: XComKey, attempt: number, value: Json) {
          return [await super.store(key, attempt, value), Number.NaN];
        }
        override load(reference: Json) {
          return super.load((reference as readonly Json[])[0]!);
        }
        override remove(reference: Json) {
          return super.remove((reference as readonly Json[])[0]!);
        }
      },
      'the reference is plain JSON',
    ],
    'a limit on size': [
      class extends MemoryXComBackend {
        override async load(reference: Json) {
          const value = await super.load(reference);
          return JSON.stringify(value).length > 65_536 ? null : value;
        }
      },
      'a value of one megabyte comes back equal',
    ],
    'a removed value that answers null': [
      class extends MemoryXComBackend {
        override load(reference: Json) {
          return super.load(reference).catch(() => null);
        }
      },
      'loading rejects after removal, and removing again does nothing',
    ],
    'a second removal that rejects': [
      class extends MemoryXComBackend {
        override async remove(reference: Json) {
          await super.load(reference);
          await super.remove(reference);
        }
      },
      'loading rejects after removal, and removing again does nothing',
    ],
  };

  for (const [defect, [backend, question]] of Object.entries(defects))
    test(defect, async () => expect(await failedQuestions(suite(backend))).toContain(question));
});
