import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RetryPolicy, retryDelayAfter } from '../src/index.ts';

const steady: RetryPolicy = { retries: 2, retryDelayMs: 1000, retryExponentialBackoff: false };
const doubling: RetryPolicy = { retries: 100, retryDelayMs: 1000, retryExponentialBackoff: true };
const DAY_MS = 86_400_000;

test('two retries forgive two failures, and the third is final', () => {
  expect([1, 2, 3, 4].map((tryNumber) => retryDelayAfter(steady, { tryNumber }))).toStrictEqual([
    1000,
    1000,
    null,
    null,
  ]);
});

test('without retries the first failure is final', () => {
  expect(retryDelayAfter({ ...steady, retries: 0 }, { tryNumber: 1 })).toBeNull();
});

test('an error that forbids a retry is final at the first try', () => {
  expect(retryDelayAfter(steady, { tryNumber: 1, isRetryable: false })).toBeNull();
});

test('an error that allows a retry gets no more of them than others', () => {
  expect(retryDelayAfter(steady, { tryNumber: 2, isRetryable: true })).toBe(1000);
  expect(retryDelayAfter(steady, { tryNumber: 3, isRetryable: true })).toBeNull();
});

test('with backoff the delay doubles with each try', () => {
  expect([1, 2, 3, 4].map((tryNumber) => retryDelayAfter(doubling, { tryNumber }))).toStrictEqual([
    1000, 2000, 4000, 8000,
  ]);
});

test('a delay is never longer than its maximum, whatever chance adds', () => {
  expect(retryDelayAfter({ ...doubling, maxRetryDelayMs: 3000 }, { tryNumber: 3 }, 0.9)).toBe(3000);
});

test('a delay has a maximum of a day where none is given', () => {
  expect(retryDelayAfter(doubling, { tryNumber: 50 })).toBe(DAY_MS);
  expect(retryDelayAfter({ ...steady, retryDelayMs: 2 * DAY_MS }, { tryNumber: 1 })).toBe(DAY_MS);
});

test('a delay stays finite after thousands of tries', () => {
  const patient = { ...doubling, retries: 100_000, maxRetryDelayMs: Number.MAX_VALUE };
  expect(retryDelayAfter(patient, { tryNumber: 99_999 })).toBe(1000 * 2 ** 40);
});

test('a delay of nothing stays nothing', () => {
  expect(retryDelayAfter({ ...doubling, retryDelayMs: 0 }, { tryNumber: 9 }, 0.5)).toBe(0);
});

test('chance adds up to a tenth of the delay and never takes from it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 0, max: 60_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.boolean(),
      (tryNumber, retryDelayMs, random, retryExponentialBackoff) => {
        const policy = { retries: 10, retryDelayMs, retryExponentialBackoff, maxRetryDelayMs: DAY_MS * 1000 };
        const exact = retryDelayAfter(policy, { tryNumber })!;
        const spread = retryDelayAfter(policy, { tryNumber }, random)!;
        expect(Number.isInteger(spread)).toBe(true);
        expect(spread).toBeGreaterThanOrEqual(exact);
        expect(spread).toBeLessThanOrEqual(Math.round(exact * 1.1));
      },
    ),
    { numRuns: 1000 },
  );
});

test('tasks that failed together come back at different times', () => {
  expect(retryDelayAfter(steady, { tryNumber: 1 }, 0.5)).toBe(1050);
});
