import { describe, expect, test } from 'vitest';
import { isTransientError, PollBudgetError, retryAfterMs, TaskFailed } from '../src/index.ts';

function failure(fields: object, options?: ErrorOptions): Error {
  return Object.assign(new Error('failed', options), fields);
}

describe('isTransientError', () => {
  test.each([
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
    'UND_ERR_SOCKET',
  ])('the network error %s passes', (code) => {
    expect(isTransientError(failure({ code }))).toBe(true);
  });

  test.each(['ENOENT', 'EACCES', 'ERR_INVALID_ARG_TYPE', 'ENOTFOUND', 'CERT_HAS_EXPIRED'])(
    'the error %s stays, because waiting does not mend it',
    (code) => {
      expect(isTransientError(failure({ code }))).toBe(false);
    },
  );

  test.each([408, 429, 500, 502, 503, 504, 599])('the HTTP status %i passes, wherever a client keeps it', (status) => {
    const errors = [
      { status },
      { statusCode: status },
      { code: status },
      { $metadata: { httpStatusCode: status } },
    ].map((fields) => isTransientError(failure(fields)));
    expect(errors).toStrictEqual([true, true, true, true]);
  });

  test.each([400, 401, 403, 404, 409, 422])('the HTTP status %i stays', (status) => {
    const errors = [
      { status },
      { statusCode: status },
      { code: status },
      { $metadata: { httpStatusCode: status } },
    ].map((fields) => isTransientError(failure(fields)));
    expect(errors).toStrictEqual([false, false, false, false]);
  });

  test('a status outweighs a code', () => {
    expect(isTransientError(failure({ status: 404, code: 'ECONNRESET' }))).toBe(false);
  });

  test('a number that is no HTTP status says nothing', () => {
    expect(isTransientError(failure({ code: 14 }))).toBe(false);
    expect(isTransientError(failure({ status: 1000 }))).toBe(false);
  });

  test('an error of AWS that says it can be retried passes', () => {
    expect(isTransientError(failure({ $retryable: {} }))).toBe(true);
  });

  test('AWS throttles with status 400 and says that it can be retried', () => {
    const throttled = {
      name: 'ThrottlingException',
      $retryable: { throttling: true },
      $metadata: { httpStatusCode: 400 },
    };
    expect(isTransientError(failure(throttled))).toBe(true);
  });

  test('a failed fetch is judged by its cause', () => {
    expect(isTransientError(new TypeError('fetch failed', { cause: failure({ code: 'ECONNREFUSED' }) }))).toBe(true);
    expect(isTransientError(new TypeError('fetch failed', { cause: failure({ code: 'CERT_HAS_EXPIRED' }) }))).toBe(
      false,
    );
  });

  test('a fetch that ran into AbortSignal.timeout passes', () => {
    expect(isTransientError(new DOMException('The operation timed out.', 'TimeoutError'))).toBe(true);
  });

  test('a fetch that was aborted on purpose does not pass', () => {
    expect(isTransientError(new DOMException('Aborted.', 'AbortError'))).toBe(false);
  });

  test('an error of Windhover knows itself', () => {
    expect(isTransientError(new PollBudgetError(3, new Error('x')))).toBe(true);
    expect(isTransientError(new TaskFailed('no', { cause: failure({ status: 503 }) }))).toBe(false);
  });

  test('an error around an error of Windhover goes by the inner one', () => {
    expect(isTransientError(new Error('outer', { cause: new PollBudgetError(3, 'x') }))).toBe(true);
    expect(isTransientError(new Error('outer', { cause: new TaskFailed('no') }))).toBe(false);
  });

  test('a cycle of causes comes to an end', () => {
    const [a, b] = [new Error('a'), new Error('b')];
    a.cause = b;
    b.cause = a;
    expect(isTransientError(a)).toBe(false);
  });

  test.each([undefined, null, 'ECONNRESET', 503, new Error('plain'), new TypeError('x is not a function')])(
    '%s does not pass',
    (thrown) => {
      expect(isTransientError(thrown)).toBe(false);
    },
  );
});

describe('retryAfterMs', () => {
  test('is what the error says', () => {
    expect(retryAfterMs(failure({ retryAfterMs: 1500 }))).toBe(1500);
    expect(retryAfterMs(failure({ retryAfterMs: 0 }))).toBe(0);
  });

  test.each([undefined, null, 'text', {}, { retryAfterMs: '5' }, { retryAfterMs: -1 }, { retryAfterMs: Number.NaN }])(
    'is undefined for %j',
    (error) => {
      expect(retryAfterMs(error)).toBeUndefined();
    },
  );
});
