import { STATUS_CODES } from 'node:http';
import { WindhoverError } from '@windhover/core';

/**
 * An error as the execution API answers it: RFC 9457, with the name, the code and the facts of the error's class, so
 * that a client makes the same error of it.
 */
export interface ExecutionProblem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly name?: string;
  readonly code?: string;
  readonly isRetryable?: boolean;
  readonly [fact: string]: unknown;
}

export const PROBLEM_TYPE = 'application/problem+json';

/** What is no error of Windhover's is the platform's own failure: it says nothing but where to look. */
export function toProblem(error: unknown, requestId: string): ExecutionProblem {
  if (!WindhoverError.isWindhoverError(error)) {
    const detail = `The platform failed. Its log says why, at request ${requestId}. Trying again may help.`;
    return { type: 'about:blank', title: titleOf(500), status: 500, detail, requestId };
  }
  const {
    name,
    code,
    isRetryable,
    message,
    cause: _cause,
    ...facts
  } = { cause: undefined, ...error, ...ownText(error) };
  const status = statusOf(error);
  return {
    ...facts,
    type: `urn:windhover:error:${code}`,
    title: titleOf(status),
    status,
    detail: message,
    name,
    code,
    isRetryable,
  };
}

function ownText({ name, message, code, isRetryable }: WindhoverError) {
  return { name, message, code, isRetryable };
}

/** A mistake of the caller's unless it is known as something else; one that may pass is not the caller's. */
function statusOf(error: WindhoverError): number {
  const status = STATUS[error.code] ?? (error as { status?: unknown }).status;
  if (typeof status === 'number') return status;
  return error.isRetryable ? 503 : 422;
}

const STATUS: Readonly<Record<string, number>> = {
  E_TOKEN: 401,
  E_TOKEN_SCOPE: 403,
  E_STALE_EPOCH: 409,
  E_DAG_RUN_EXISTS: 409,
  E_DAG_NOT_FOUND: 404,
};

function titleOf(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}
