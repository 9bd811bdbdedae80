import { Connection, type ConnectionFields } from '../connection/connection.ts';
import type { SecretsBackend } from '../secrets/secrets-backend.ts';
import { type ConformanceTest, check, checkEqual } from './conformance-test.ts';
import type { SecretsContent } from './memory-secrets-backend.ts';

export interface SecretsBackendSuite {
  /** A backend with exactly this content. Called once for each question. */
  create(content: SecretsContent): Promise<SecretsBackendSetup>;
}

export interface SecretsBackendSetup {
  readonly backend: SecretsBackend;
  close(): Promise<void>;
}

/** What every secrets backend answers for. */
export function testSecretsBackend(options: SecretsBackendSuite): readonly ConformanceTest[] {
  return Object.entries(QUESTIONS).map(([name, ask]) => ({
    name,
    async run() {
      const setup = await options.create(CONTENT);
      try {
        await ask(setup.backend);
      } finally {
        await setup.close();
      }
    },
  }));
}

/** An engine with a narrower alphabet encodes them. */
const ODD_IDS = ['team/db', 'my.conn-1', 'a b', 'ü🦅', "it's", 'x'.repeat(200), '..', '__proto__'];
const MINIMAL: ConnectionFields = { connType: 'http' };
const COMPLETE: ConnectionFields = {
  connType: 'postgres',
  host: 'db.example',
  port: 5432,
  login: 'user@example',
  password: 'p:@/?#% "ü',
  schema: 'sales',
  extra: { sslmode: 'require', nested: { list: [1, null, true] }, empty: '' },
};
const CONTENT: SecretsContent = {
  connections: {
    minimal: MINIMAL,
    complete: COMPLETE,
    ...Object.fromEntries(ODD_IDS.map((id, index) => [id, { connType: 'http', host: `host-${index}.example` }])),
  },
  variables: {
    plain: 'value',
    empty: '',
    json: '{"a": [1, 2]}',
    odd: ' spaces, newline\n, ü🦅, "quotes" and % ',
    ...Object.fromEntries(ODD_IDS.map((id, index) => [id, `value ${index}`])),
  },
};

const QUESTIONS: Readonly<Record<string, (backend: SecretsBackend) => Promise<void>>> = {
  async 'a connection comes back with all of its fields'(backend) {
    await checkConnection(backend, 'minimal', MINIMAL);
    await checkConnection(backend, 'complete', COMPLETE);
  },

  async 'a variable comes back unchanged, an empty one too'(backend) {
    for (const key of ['plain', 'empty', 'json', 'odd'])
      checkEqual(await backend.getVariable(key), CONTENT.variables[key], `variable "${key}"`);
  },

  async 'what it does not have is null'(backend) {
    // `constructor` is in every object; `plain` and `minimal` are of the other kind; the rest must not break a lookup.
    for (const id of ['unknown', 'constructor', 'plain', '', 'un/known', '../unknown', 'minimal ', '*', 'ü?'])
      checkEqual(await backend.getConnection(id), null, `connection "${id}"`);
    for (const key of ['unknown', 'constructor', 'minimal', '', 'un/known', '../unknown', 'plain ', '*', 'ü?'])
      checkEqual(await backend.getVariable(key), null, `variable "${key}"`);
  },

  async 'ids may have odd characters'(backend) {
    for (const id of ODD_IDS) {
      await checkConnection(backend, id, CONTENT.connections[id]!);
      checkEqual(await backend.getVariable(id), CONTENT.variables[id], `variable "${id}"`);
    }
  },

  async 'many asks at once are each answered with their own'(backend) {
    const ids = [...ODD_IDS, 'unknown', ...ODD_IDS];
    const connections = await Promise.all(ids.map((id) => backend.getConnection(id)));
    const variables = await Promise.all(ids.map((id) => backend.getVariable(id)));
    checkEqual(
      connections.map((fields) => fields?.host ?? null),
      ids.map((id) => own(CONTENT.connections, id)?.host ?? null),
      'the hosts of the connections',
    );
    checkEqual(
      variables,
      ids.map((id) => own(CONTENT.variables, id) ?? null),
      'the variables',
    );
  },

  async 'asking again gives the same answer'(backend) {
    for (let i = 0; i < 3; i++) {
      await checkConnection(backend, 'complete', COMPLETE);
      checkEqual(await backend.getVariable('plain'), 'value', 'variable "plain"');
    }
  },
};

async function checkConnection(backend: SecretsBackend, connId: string, expected: ConnectionFields): Promise<void> {
  const found = await backend.getConnection(connId);
  check(found, `Connection "${connId}" was not found`);
  // Through Connection, because an empty text and a missing one are the same.
  const normal = (fields: ConnectionFields) => new Connection(connId, fields).toFields();
  checkEqual(normal(found), normal(expected), `connection "${connId}"`);
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
