import { describe, expect, test } from 'vitest';
import type { SecretsBackend } from '../../src/secrets/secrets-backend.ts';
import { MemorySecretsBackend, type SecretsContent } from '../../src/testing/memory-secrets-backend.ts';
import { testSecretsBackend } from '../../src/testing/test-secrets-backend.ts';
import { failedQuestions } from './failed-questions.ts';

const suite = (backend: new (content: SecretsContent) => SecretsBackend) =>
  testSecretsBackend({
    async create(content) {
      return { backend: new backend(content), close: async () => {} };
    },
  });

describe('the memory secrets backend', () => {
  for (const { name, run } of suite(MemorySecretsBackend)) test(name, run);
});

describe('the secrets backend suite finds', () => {
  const defects: Record<string, [backend: new (content: SecretsContent) => SecretsBackend, question: string]> = {
    'an empty variable taken for a missing one': [
      class extends MemorySecretsBackend {
        override async getVariable(key: string) {
          return (await super.getVariable(key)) || null;
        }
      },
      'a variable comes back unchanged, an empty one too',
    ],
    'an unknown id that rejects': [
      class extends MemorySecretsBackend {
        override async getConnection(connId: string) {
          const fields = await super.getConnection(connId);
          if (!fields) throw new Error('404');
          return fields;
        }
      },
      'what it does not have is null',
    ],
    'a lookup in a plain object': [
      class extends MemorySecretsBackend {
        readonly #content: SecretsContent;
        constructor(content: SecretsContent) {
          super(content);
          this.#content = content;
        }
        override async getVariable(key: string) {
          return this.#content.variables[key] ?? null;
        }
      },
      'what it does not have is null',
    ],
    'ids cut at a slash': [
      class extends MemorySecretsBackend {
        override getConnection(connId: string) {
          return super.getConnection(connId.split('/')[0]!);
        }
      },
      'ids may have odd characters',
    ],
    'a password that is not decoded': [
      class extends MemorySecretsBackend {
        override async getConnection(connId: string) {
          const fields = await super.getConnection(connId);
          return fields?.password ? { ...fields, password: encodeURIComponent(fields.password) } : fields;
        }
      },
      'a connection comes back with all of its fields',
    ],
    'asks at once that get mixed up': [
      class extends MemorySecretsBackend {
        #last = '';
        override async getVariable(key: string) {
          this.#last = key;
          await Promise.resolve();
          return super.getVariable(this.#last);
        }
      },
      'many asks at once are each answered with their own',
    ],
    'a secret that can be asked for once': [
      class extends MemorySecretsBackend {
        readonly #asked = new Set<string>();
        override async getConnection(connId: string) {
          return this.#asked.size === this.#asked.add(connId).size ? null : super.getConnection(connId);
        }
      },
      'asking again gives the same answer',
    ],
  };

  for (const [defect, [backend, question]] of Object.entries(defects))
    test(defect, async () => expect(await failedQuestions(suite(backend))).toContain(question));
});
