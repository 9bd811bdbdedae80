import type { ConnectionFields } from '../connection/connection.ts';

/**
 * Finds connections and variables outside Windhover's own store, such as in a vault. Asked before the store, in the
 * order of the configuration; runs in the platform. Chosen in `windhover.config.ts` by classpath.
 */
export interface SecretsBackend {
  /** Null when this backend does not have it; the next one is asked then. Reject only when it could not look. */
  getConnection(connId: string): Promise<ConnectionFields | null>;
  /** Null when this backend does not have it. An empty text is a value. */
  getVariable(key: string): Promise<string | null>;
  /** When the platform stops. Default: nothing. */
  close?(): Promise<void>;
}
