import type { ConnectionFields } from '../connection/connection.ts';
import type { SecretsBackend } from '../secrets/secrets-backend.ts';

/** What a secrets backend holds. */
export interface SecretsContent {
  readonly connections: Readonly<Record<string, ConnectionFields>>;
  readonly variables: Readonly<Record<string, string>>;
}

/** Connections and variables given as they are, for tests and examples. */
export class MemorySecretsBackend implements SecretsBackend {
  // Maps, because an object would answer for `constructor` too.
  readonly #connections: ReadonlyMap<string, ConnectionFields>;
  readonly #variables: ReadonlyMap<string, string>;

  constructor(content: Partial<SecretsContent> = {}) {
    this.#connections = new Map(Object.entries(content.connections ?? {}));
    this.#variables = new Map(Object.entries(content.variables ?? {}));
  }

  async getConnection(connId: string): Promise<ConnectionFields | null> {
    return this.#connections.get(connId) ?? null;
  }

  async getVariable(key: string): Promise<string | null> {
    return this.#variables.get(key) ?? null;
  }
}
