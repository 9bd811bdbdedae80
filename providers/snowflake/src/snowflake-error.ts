import { isTransientError, WindhoverError } from '@windhover/core';

/** What Snowflake said, as far as it said something. */
export interface SnowflakeErrorFacts {
  readonly message: string;
  /** The HTTP status. Default: no answer came, or the driver does not tell. */
  readonly status?: number | undefined;
  /** Snowflake's own number, such as `390144`. Default: none. */
  readonly errorCode?: string | undefined;
  readonly sqlState?: string | undefined;
  /** Whether it passes. Default: by the status and the cause. */
  readonly isRetryable?: boolean;
}

/** Snowflake refused a request, or was not reached. */
export class SnowflakeError extends WindhoverError {
  readonly code = 'E_SNOWFLAKE';
  override readonly isRetryable: boolean;
  readonly status: number | undefined;
  readonly errorCode: string | undefined;
  readonly sqlState: string | undefined;

  constructor(doing: string, connId: string, facts: SnowflakeErrorFacts, cause?: unknown) {
    const { message, status, errorCode, sqlState } = facts;
    const isRetryable = facts.isRetryable ?? (isTransientError(cause) || isTransientError({ status }));
    const said = /[.!?]$/.test(message) ? message : `${message}.`;
    const number = errorCode === undefined ? '' : ` (${errorCode})`;
    super(
      `Cannot ${doing} with connection "${connId}"${number}: ${said} ${adviceFor(facts, isRetryable)}`,
      cause === undefined ? undefined : { cause },
    );
    this.isRetryable = isRetryable;
    this.status = status;
    this.errorCode = errorCode;
    this.sqlState = sqlState;
  }
}

function adviceFor({ status, errorCode = '' }: SnowflakeErrorFacts, isRetryable: boolean): string {
  if (isRetryable)
    return status === undefined ? 'Check the network, and the account of the connection.' : 'This usually passes.';
  if (errorCode === '390144')
    return 'Check that the public key is assigned to this user, and that account and user are right.';
  if (status === 401 || errorCode.startsWith('3901') || errorCode.startsWith('3903'))
    return 'Check login, password, key or token of the connection.';
  if (status === 403) return 'Grant the privilege to the role, or use another role.';
  if (status === 404) return 'Snowflake keeps a statement for 24 hours, and only its user may see it.';
  return 'Correct the request.';
}
