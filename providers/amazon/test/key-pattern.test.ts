import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type KeyMatch, keyPattern } from '../src/s3/key-pattern.ts';

const CASES: readonly [KeyMatch, string, matching: readonly string[], others: readonly string[]][] = [
  ['exact', 'in/a.csv', ['in/a.csv'], ['in/a.csv.part', 'in/a']],
  ['prefix', 'in/', ['in/a', 'in/b/c'], ['input/a']],
  ['wildcard', 'in/*.csv', ['in/a.csv', 'in/deep/b.csv'], ['in/a.csv.part', 'in/acsv']],
  ['wildcard', 'in/?.csv', ['in/a.csv'], ['in/ab.csv']],
  ['wildcard', 'in/[ab].csv', ['in/a.csv'], ['in/c.csv']],
  ['wildcard', 'in/[!ab].csv', ['in/c.csv'], ['in/a.csv']],
  ['wildcard', 'a+b(1).csv', ['a+b(1).csv'], ['aab1.csv']],
  ['wildcard', 'open[.csv', ['open[.csv'], ['open.csv']],
  ['regex', 'in/\\d{4}\\.csv$', ['in/2026.csv'], ['in/26.csv', 'x/in/2026.csv']],
  ['regex', 'colou?r', ['color', 'colour.txt'], ['colur']],
  ['regex', 'a|b', ['a1', 'b1'], ['c']],
];

test.each(CASES)('%s %s matches what it says', (match, text, matching, others) => {
  const { matches } = keyPattern(match, text);
  expect(matching.filter(matches)).toEqual(matching);
  expect(others.filter(matches)).toEqual([]);
});

test.each(CASES)('every key that %s %s matches begins with the prefix that is listed', (match, text, matching) => {
  const { prefix } = keyPattern(match, text);
  expect(matching.every((key) => key.startsWith(prefix))).toBe(true);
});

test('a listing is narrowed as far as the pattern allows', () => {
  expect(keyPattern('wildcard', 'in/2026-*/a.csv').prefix).toBe('in/2026-');
  expect(keyPattern('regex', '^in/2026-\\d+').prefix).toBe('in/2026-');
  expect(keyPattern('regex', 'in/ab*').prefix).toBe('in/a');
});

test('a pattern without wildcards matches itself only, whatever its characters are', () => {
  const plain = fc.string({ unit: 'grapheme' }).filter((text) => !/[*?[]/.test(text));
  fc.assert(
    fc.property(plain, plain, (text, other) => {
      const { matches, prefix } = keyPattern('wildcard', text);
      return matches(text) && prefix === text && matches(other) === (text === other);
    }),
  );
});
