import { brandPrototype, hasBrand } from '../brand.ts';
import type { Connection } from './connection.ts';

/** Where a hook gets its connection from: a task's `Context`, a trigger's `TriggerScope`, or a test. */
export interface ConnectionSource {
  /** Throws `ConnectionNotFoundError` when there is none. */
  connection(connId: string): Promise<Connection>;
}

/** The outcome of a connection test, for people. Never put a secret into `message`. */
export interface ConnectionTestResult {
  readonly isSuccess: boolean;
  readonly message: string;
}

/**
 * A hook talks to one outside system; it knows how to make that system's client from a connection, and holds no
 * workflow logic. Make it inside `execute`, `poke` or a trigger's `run`, never in a trigger's kwargs: pass the id.
 *
 * ```ts
 * class AcmeHook extends BaseHook<AcmeClient> {
 *   static readonly connType = 'acme';
 *   protected async createClient(connection: Connection) {
 *     return new AcmeClient({ url: `https://${connection.host}`, key: connection.password });
 *   }
 * }
 * const client = await new AcmeHook(context, 'acme_default').client();
 * ```
 */
export abstract class BaseHook<Client> {
  readonly connId: string;
  readonly #source: ConnectionSource;
  #client: Promise<Client> | undefined;

  static {
    brandPrototype(BaseHook.prototype, 'BaseHook');
  }

  constructor(source: ConnectionSource, connId: string) {
    this.#source = source;
    this.connId = connId;
  }

  static isInstance(value: unknown): value is BaseHook<unknown> {
    return hasBrand(value, 'BaseHook');
  }

  connection(): Promise<Connection> {
    return this.#source.connection(this.connId);
  }

  /** The client, made once for this hook. A failed attempt is not kept, so that the next call tries again. */
  client(): Promise<Client> {
    this.#client ??= this.connection()
      .then((connection) => this.createClient(connection))
      .catch((error: unknown) => {
        this.#client = undefined;
        throw error;
      });
    return this.#client;
  }

  protected abstract createClient(connection: Connection): Client | Promise<Client>;

  /** Says whether the system answers with this connection. Default: making the client is test enough. */
  async testConnection(): Promise<ConnectionTestResult> {
    try {
      await this.client();
      return { isSuccess: true, message: 'The connection works.' };
    } catch (error) {
      return { isSuccess: false, message: error instanceof Error ? error.message : String(error) };
    }
  }
}
