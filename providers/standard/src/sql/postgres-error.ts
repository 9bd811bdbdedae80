import { isTransientError, WindhoverError } from '@windhover/core';

/** PostgreSQL refused a statement or a connection, or could not be reached. */
export class PostgresError extends WindhoverError {
  readonly code = 'E_POSTGRES';
  override readonly isRetryable: boolean;
  readonly connId: string;
  /** SQLSTATE, five characters; undefined when the server gave none. */
  readonly sqlState: string | undefined;

  constructor(connId: string, server: string, cause: unknown) {
    const sqlState = sqlStateOf(cause);
    super(`PostgreSQL ${server} (connection "${connId}"): ${messageOf(cause)}${adviceFor(sqlState)}`, { cause });
    this.connId = connId;
    this.sqlState = sqlState;
    this.isRetryable = sqlState === undefined ? isPassing(cause) : !LASTING_CLASSES.has(sqlState.slice(0, 2));
  }
}

/**
 * Classes of SQLSTATE that stay until somebody changes the statement, the data or the rights: unsupported, data, integrity,
 * authorization, cursor, savepoint, catalog, schema, syntax and access, check option.
 */
const LASTING_CLASSES = new Set(['0A', '22', '23', '26', '28', '2F', '34', '3B', '3D', '3F', '42', '44']);

function sqlStateOf(cause: unknown): string | undefined {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]+$/.test(code) ? code : undefined;
}

/** `pg` says of a connection that broke in the middle of a statement only that it has terminated. */
function isPassing(cause: unknown): boolean {
  return isTransientError(cause) || /terminated|timeout/i.test(messageOf(cause));
}

/** Node reports a host with several addresses as one error without a message that holds several. */
function messageOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') return cause.errors.map(messageOf).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}

function adviceFor(sqlState: string | undefined): string {
  if (sqlState === undefined) return '. Is the server up, and are host and port of the connection right?';
  if (sqlState.startsWith('28')) return '. Check login and password of the connection.';
  if (sqlState === '3D000') return '. Check the database (schema) of the connection.';
  return ` (SQLSTATE ${sqlState}).`;
}
