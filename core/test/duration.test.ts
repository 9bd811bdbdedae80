import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Duration, durationMs, InvalidDurationError } from '../src/index.ts';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

describe('durationMs', () => {
  test.each<[Duration, number]>([
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['8h', 28_800_000],
    ['1d', 86_400_000],
    ['1.5h', 5_400_000],
    ['0s', 0],
    ['0.5ms', 0.5],
  ])('understands %s', (duration, ms) => {
    expect(durationMs(duration)).toBe(ms);
  });

  test.each<[Duration, number]>([
    [{ hours: 1, minutes: 30 }, 5_400_000],
    [{ days: 1, hours: 1, minutes: 1, seconds: 1, milliseconds: 1 }, 90_061_001],
    [{ milliseconds: 7 }, 7],
    [{ minutes: 0.5 }, 30_000],
    [{ hours: 1, minutes: -30 }, 1_800_000],
    [{}, 0],
  ])('adds up the parts of %j', (duration, ms) => {
    expect(durationMs(duration)).toBe(ms);
  });

  test('takes a part that is undefined for none', () => {
    expect(durationMs({ hours: 1, minutes: undefined } as unknown as Duration)).toBe(3_600_000);
  });

  test('gives the same for a text and for its part', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('ms', 's', 'm', 'h', 'd'), (amount, unit) => {
        expect(durationMs(`${amount}${unit}`)).toBe(amount * UNITS[unit]);
      }),
      { numRuns: 1000 },
    );
  });

  test.each<[string, unknown, string]>([
    ['an empty text', '', '""'],
    ['a bare number in a text', '30', '"30"'],
    ['a number', 30, '30'],
    ['a negative text', '-5s', '"-5s"'],
    ['a unit that does not exist', '3 weeks', '"3 weeks"'],
    ['a unit of another case', '3H', '"3H"'],
    ['a space before the unit', '3 h', '"3 h"'],
    ['a line break behind the unit', '3h\n', '"3h\n"'],
    ['an exponent', '1e3s', '"1e3s"'],
    ['two units', '1h30m', '"1h30m"'],
    ['a fraction without a whole', '.5s', '".5s"'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a negative sum', { hours: 1, minutes: -90 }, '{"hours":1,"minutes":-90}'],
    ['an unknown part', { hours: 1, weeks: 1 }, '{"hours":1,"weeks":1}'],
    ['a part that only objects inherit', { toString: 1 }, '{"toString":1}'],
    ['a part that is no number', { hours: 'two' }, '{"hours":"two"}'],
  ])('refuses %s and shows how to write one', (_name, value, shown) => {
    const error = catchError(() => durationMs(value as Duration));
    expect(error).toBeInstanceOf(InvalidDurationError);
    expect(error).toMatchObject({
      value,
      message: `Not a duration: ${shown}. Write "250ms", "30s", "5m", "8h" or "1d", or an object such as { hours: 1, minutes: 30 }, not negative.`,
    });
  });

  test.each<[string, unknown]>([
    ['a bigint', 5n],
    ['a part that is a bigint', { hours: 1n }],
    ['a list', []],
    ['a Date', new Date(0)],
    ['a part that is not finite', { hours: Number.POSITIVE_INFINITY }],
    ['more than a number holds', `${'9'.repeat(400)}d`],
  ])('refuses %s, which a DAG in JavaScript could pass', (_name, value) => {
    expect(catchError(() => durationMs(value as Duration))).toBeInstanceOf(InvalidDurationError);
  });
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}
