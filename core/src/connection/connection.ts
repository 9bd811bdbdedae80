import { brandPrototype, hasBrand } from '../brand.ts';
import type { Json } from '../json.ts';
import { formatConnectionUri, parseConnectionUri } from './connection-uri.ts';

/** The plain form of a connection. An empty text means the same as a missing one. */
export interface ConnectionFields {
  /** The kind of system, such as `aws` or `snowflake`; a provider's manifest declares it. */
  readonly connType: string;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly login?: string | undefined;
  readonly password?: string | undefined;
  /** Database, bucket or path, as the provider understands it. */
  readonly schema?: string | undefined;
  /** Everything else that this kind of system needs. Default: {}. */
  readonly extra?: Readonly<Record<string, Json>> | undefined;
}

/**
 * How to reach an outside system. Two forms, convertible both ways: an object, and a URI such as
 * `postgres://user:secret@db.example:5432/sales?sslmode=require`.
 *
 * The password never shows up by accident: `String(connection)` leaves it out, and so does whatever prints it.
 */
export class Connection implements ConnectionFields {
  readonly connId: string;
  readonly connType: string;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly login: string | undefined;
  readonly schema: string | undefined;
  // Private: whatever prints an object walks its properties, and the debugger's inspect even the hidden ones.
  readonly #password: string | undefined;
  readonly #extra: Readonly<Record<string, Json>>;

  static {
    brandPrototype(Connection.prototype, 'Connection');
  }

  constructor(connId: string, fields: ConnectionFields) {
    this.connId = connId;
    this.connType = fields.connType;
    this.host = fields.host || undefined;
    this.port = fields.port;
    this.login = fields.login || undefined;
    this.schema = fields.schema || undefined;
    this.#password = fields.password || undefined;
    this.#extra = fields.extra ?? {};
  }

  get password(): string | undefined {
    return this.#password;
  }

  get extra(): Readonly<Record<string, Json>> {
    return this.#extra;
  }

  static isInstance(value: unknown): value is Connection {
    return hasBrand(value, 'Connection');
  }

  static fromUri(connId: string, uri: string): Connection {
    return new Connection(connId, parseConnectionUri(connId, uri));
  }

  /** The URI form, **with** its secrets. */
  toUri(): string {
    return formatConnectionUri(this);
  }

  /** The object form, **with** its secrets, without fields that are not set. */
  toFields(): ConnectionFields {
    const { connType, host, port, login, password, schema, extra } = this;
    const fields = { connType, host, port, login, password, schema, extra };
    return Object.fromEntries(
      Object.entries(fields).filter(([key, value]) => value !== undefined && !(key === 'extra' && isEmpty(extra))),
    ) as unknown as ConnectionFields;
  }

  toString(): string {
    return `Connection ${this.connId} (${this.connType}${this.host ? ` at ${this.host}` : ''})`;
  }
}

function isEmpty(extra: object): boolean {
  return Object.keys(extra).length === 0;
}
