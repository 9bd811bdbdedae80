import { WindhoverError } from '../windhover-error.ts';

/**
 * Whether an error is likely to pass: the network failed, the service is busy (429) or broken (5xx). Understands the
 * errors of Node, undici and fetch, and of clients that carry an HTTP status, such as those of AWS and Google.
 */
export function isTransientError(error: unknown): boolean {
  for (let current = error, depth = 0; typeof current === 'object' && current !== null && depth < 5; depth += 1) {
    if (WindhoverError.isWindhoverError(current)) return current.isRetryable;
    const { code, $retryable } = current as { code?: unknown; $retryable?: unknown };
    // Before the status: AWS throttles with 400.
    if ($retryable !== undefined) return true;
    if ((current as { name?: unknown }).name === 'TimeoutError') return true;
    const status = httpStatus(current);
    if (status !== undefined) return status === 408 || status === 429 || status >= 500;
    if (typeof code === 'string' && NETWORK_CODES.has(code)) return true;
    current = (current as { cause?: unknown }).cause;
  }
  return false;
}

/** How long the service asked us to wait, where the error says so (`retryAfterMs`); otherwise undefined. */
export function retryAfterMs(error: unknown): number | undefined {
  const value = (error as { retryAfterMs?: unknown } | null | undefined)?.retryAfterMs;
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

const NETWORK_CODES = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EAI_AGAIN',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
]);

function httpStatus(error: object): number | undefined {
  const { status, statusCode, code, $metadata } = error as {
    status?: unknown;
    statusCode?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: unknown };
  };
  return [status, statusCode, $metadata?.httpStatusCode, code].find(
    (candidate): candidate is number => typeof candidate === 'number' && candidate >= 100 && candidate < 600,
  );
}
