import { Connection, type ConnectionFields, connectionVariable, type SecretsBackend } from '@windhover/core';
import { connectionPurpose, getConnectionFields } from '../store/connections.ts';
import type { Queryable } from '../store/database.ts';
import { getVariableValue, variablePurpose } from '../store/variables.ts';
import type { Cipher } from '../task-instances/change-writer.ts';

export interface LookupOptions {
  readonly database: Queryable;
  readonly cipher: Cipher;
  /** Connections may be given there, as URIs in `WINDHOVER_CONN_<ID>`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asked in this order. */
  readonly secretsBackends: readonly SecretsBackend[];
}

/**
 * Finds connections and variables where they may be: the environment, then the secrets backends, then the store. The
 * first that has one answers. A backend that could not look fails the lookup: going on would answer with something
 * older, or say that there is none.
 */
export class Lookup {
  readonly #options: LookupOptions;

  constructor(options: LookupOptions) {
    this.#options = options;
  }

  /** Null when nobody has it. */
  async connection(connId: string): Promise<ConnectionFields | null> {
    const { database, cipher, env, secretsBackends } = this.#options;
    const uri = env[connectionVariable(connId)];
    if (uri) return Connection.fromUri(connId, uri).toFields();
    for (const backend of secretsBackends) {
      const found = await backend.getConnection(connId);
      if (found !== null) return found;
    }
    const stored = await getConnectionFields(database, connId);
    return stored && (cipher.decrypt(stored, connectionPurpose(connId)) as unknown as ConnectionFields);
  }

  /** Null when nobody has it. An empty text is a value. */
  async variable(key: string): Promise<string | null> {
    const { database, cipher, secretsBackends } = this.#options;
    for (const backend of secretsBackends) {
      const found = await backend.getVariable(key);
      if (found !== null) return found;
    }
    const stored = await getVariableValue(database, key);
    return stored && (cipher.decrypt(stored, variablePurpose(key)) as string);
  }
}
