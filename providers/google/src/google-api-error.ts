import { isTransientError, WindhoverError } from '@windhover/core';

/** A service of Google refused a request, or was not reached. `status` is undefined where no answer came. */
export class GoogleApiError extends WindhoverError {
  readonly code = 'E_GOOGLE_API';
  override readonly isRetryable: boolean;
  readonly status: number | undefined;
  /** Google's own word for it, such as `notFound` or `rateLimitExceeded`. */
  readonly reason: string | undefined;

  constructor(doing: string, connId: string, cause: unknown) {
    const { status, reason, isRetryable, message } = factsOf(cause);
    super(`Cannot ${doing} with connection "${connId}": ${message} ${adviceFor(status, isRetryable, connId)}`, {
      cause,
    });
    this.status = status;
    this.reason = reason;
    this.isRetryable = isRetryable;
  }
}

/** Reasons that pass although their status says otherwise: quotas on requests answer 403. */
const PASSING_REASONS = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'jobRateLimitExceeded', 'backendError']);

interface Facts {
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly isRetryable: boolean;
  readonly message: string;
}

function factsOf(cause: unknown): Facts {
  const error = (cause ?? {}) as {
    code?: unknown;
    status?: unknown;
    type?: unknown;
    message?: unknown;
    errors?: { reason?: string; message?: string }[];
  };
  const status = [error.status, error.code].find((each) => typeof each === 'number');
  const [first] = error.errors ?? [];
  const message = first?.message ?? String(error.message ?? cause);
  const isRetryable =
    isTransientError(cause) || PASSING_REASONS.has(first?.reason ?? '') || error.type === 'request-timeout';
  return { status, reason: first?.reason, isRetryable, message: /[.!?]$/.test(message) ? message : `${message}.` };
}

function adviceFor(status: number | undefined, isRetryable: boolean, connId: string): string {
  if (isRetryable && status === undefined)
    return 'Check the network, and the apiEndpoint of the connection if it has one.';
  if (isRetryable) return 'This usually passes.';
  if (status === 401) return `Check the key of connection "${connId}", or when it was revoked.`;
  if (status === 403) return 'Grant the role that allows it to the account of this connection, or use another account.';
  if (status === 404) return 'Check its name, project and location.';
  if (status === undefined)
    return 'Give the connection keyPath or keyfileDict, or make default credentials: gcloud auth application-default login.';
  return 'Correct the request.';
}
