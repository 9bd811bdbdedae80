import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  and,
  eq,
  evaluatePredicate,
  exists,
  gt,
  gte,
  type Json,
  lt,
  lte,
  ne,
  not,
  oneOf,
  or,
  type Predicate,
} from '../src/index.ts';

const RUNS = { numRuns: 1000 };
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

describe('a predicate', () => {
  test.each<[string, Predicate, Json, boolean]>([
    ['gt is above', gt(5), 6, true],
    ['gt is not equal', gt(5), 5, false],
    ['gte is equal', gte(5), 5, true],
    ['gte is not below', gte(5), 4, false],
    ['lt is below', lt(5), 4, true],
    ['lt is not equal', lt(5), 5, false],
    ['lte is equal', lte(5), 5, true],
    ['lte is not above', lte(5), 6, false],
    ['texts compare as texts', gt('10'), '9', true],
    ['ISO dates compare as texts', gte('at', '2026-01-01'), { at: '2026-01-02' }, true],
    ['a number is not above a text', gt('5'), 6, false],
    ['a number is not below a text either', lt('5'), 4, false],
    ['a boolean has no order', gt(false), true, false],
    ['null has no order', gte(null), null, false],
    ['what is missing is not below', lt('v', 5), {}, false],
    ['a path leads into objects', gt('error.rate', 0.05), { error: { rate: 0.09 } }, true],
    ['a path leads into lists', eq('rows.1.id', 7), { rows: [{ id: 1 }, { id: 7 }] }, true],
    ['a path through a text leads nowhere', exists('a.length'), { a: 'text' }, false],
    ['a path through null leads nowhere', exists('a.b'), { a: null }, false],
    ['a path does not see what objects inherit', exists('constructor'), {}, false],
    ['a path does not see the prototype', exists('__proto__.toString'), {}, false],
    ['exists sees null', exists('a'), { a: null }, true],
    ['exists does not see what is missing', exists('b'), { a: null }, false],
    ['eq compares deeply', eq({ a: [1, { b: null }] }), { a: [1, { b: null }] }, true],
    ['eq does not care for the order of keys', eq({ a: 1, b: 2 }), { b: 2, a: 1 }, true],
    ['eq cares for the order of lists', eq([1, 2]), [2, 1], false],
    ['eq sees a key too many', eq({ a: 1 }), { a: 1, b: 2 }, false],
    ['eq sees a key too few', eq({ a: 1, b: 2 }), { a: 1 }, false],
    ['eq sees another key', eq({ a: null }), { b: null }, false],
    ['eq tells a list from an object', eq(['a']), { 0: 'a' }, false],
    ['eq tells a number from its text', eq(1), '1', false],
    ['eq with null is not fulfilled by what is missing', eq('a', null), {}, false],
    ['ne is fulfilled by what is missing', ne('a', 1), {}, true],
    ['ne is not fulfilled by an equal value', ne('a', 1), { a: 1 }, false],
    ['oneOf finds a value', oneOf(['ok', 'fine']), 'fine', true],
    ['oneOf misses a value', oneOf(['ok', 'fine']), 'bad', false],
    ['oneOf compares deeply at a path', oneOf('s', [{ a: 1 }]), { s: { a: 1 } }, true],
    ['oneOf of nothing is never fulfilled', oneOf([]), null, false],
    ['and needs all', and(gt('v', 1), lt('v', 3)), { v: 2 }, true],
    ['and fails with one', and(gt('v', 1), lt('v', 3)), { v: 3 }, false],
    ['and of nothing is fulfilled', and(), 1, true],
    ['or needs one', or(eq(1), eq(2)), 2, true],
    ['or fails without any', or(eq(1), eq(2)), 3, false],
    ['or of nothing is not fulfilled', or(), 1, false],
    ['not turns it round', not(exists('a')), {}, true],
  ])('%s', (_name, predicate, value, expected) => {
    expect(evaluatePredicate(predicate, value)).toBe(expected);
  });

  test('is plain JSON: stored and read again it decides the same', () => {
    const predicate = or(and(gt('v', 1), not(oneOf('s', ['a']))), exists('x'), ne(null));
    expect(JSON.parse(JSON.stringify(predicate))).toStrictEqual(predicate);
  });

  test('with one argument compares the value itself, with two the field at a path', () => {
    expect(eq('a')).toStrictEqual({ op: 'eq', path: '', value: 'a' });
    expect(eq('a', 'b')).toStrictEqual({ op: 'eq', path: 'a', value: 'b' });
    expect(oneOf(['a'])).toStrictEqual({ op: 'in', path: '', values: ['a'] });
    expect(oneOf('a', ['b'])).toStrictEqual({ op: 'in', path: 'a', values: ['b'] });
  });

  test('eq is fulfilled by every value that is equal after JSON', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(evaluatePredicate(eq(value), JSON.parse(JSON.stringify(value)))).toBe(true);
      }),
      RUNS,
    );
  });

  test('ne is always the opposite of eq', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(evaluatePredicate(ne(a), b)).toBe(!evaluatePredicate(eq(a), b));
      }),
      RUNS,
    );
  });

  test('of two numbers exactly one of lt, eq and gt holds', () => {
    const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true }));
    fc.assert(
      fc.property(number, number, (a, b) => {
        const holds = [lt(a), eq(a), gt(a)].filter((predicate) => evaluatePredicate(predicate, b));
        expect(holds).toHaveLength(1);
      }),
      RUNS,
    );
  });
});
