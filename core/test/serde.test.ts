import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize, DeserializationError, deserialize, SerializationError, serialize } from '../src/index.ts';

const RUNS = { numRuns: 1000 };
const MAX_DEPTH = 200;

/** Keys that a careless encoder confuses with prototypes or with its own tags. */
const trickyKey = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'toJSON',
  'length',
  '',
  '0',
  '$',
  '$date',
  '$bigint',
  '$number',
  '$bytes',
  '$map',
  '$set',
  '$object',
  '$unknown',
);
const key = fc.oneof({ weight: 2, arbitrary: trickyKey }, fc.string({ unit: 'binary', maxLength: 5 }));
const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.integer(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0),
  fc.bigInt(),
  fc.string({ unit: 'binary' }),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ maxLength: 40 }),
);
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    record(tie('value')),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => new Set(items)),
  ),
}));

function record(value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  // `fromEntries` defines properties, so `__proto__` is a key here and not the prototype.
  return fc.array(fc.tuple(key, value), { maxLength: 5 }).map((entries) => Object.fromEntries(entries));
}

/** What the database does to it. */
function store(value: unknown): unknown {
  return deserialize(JSON.parse(JSON.stringify(serialize(value))));
}

/** The same value with keys, Map entries and Set members in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value instanceof Map)
    return new Map([...value].reverse().map(([each, item]) => [reversed(each), reversed(item)]));
  if (value instanceof Set) return new Set([...value].reverse().map(reversed));
  if (typeof value !== 'object' || value === null || value instanceof Date || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([each, item]) => [each, reversed(item)]),
  );
}

/** Equal in every way but the order of keys, entries and members; written without serialize. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Date) return a.getTime() === (b as Date).getTime();
  if (a instanceof Uint8Array) return a.join() === (b as Uint8Array).join();
  if (Array.isArray(a)) return isSameList(a, b as unknown[]);
  if (a instanceof Map) return isSameBag([...a], [...(b as Map<unknown, unknown>)]);
  if (a instanceof Set) return isSameBag([...a], [...(b as Set<unknown>)]);
  return isSameBag(Object.entries(a), Object.entries(b));
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
}

function isSameBag(a: readonly unknown[], b: readonly unknown[]): boolean {
  const left = [...b];
  return (
    a.length === b.length &&
    a.every((item) => {
      const at = left.findIndex((other) => isSame(item, other));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    })
  );
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

describe('serialize and deserialize', () => {
  test('any value of JSON, Date, bigint, Uint8Array, Map and Set comes back equal from storage', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        // Not toStrictEqual: it takes a key `constructor` for the class of the object.
        deepStrictEqual(store(value), value);
      }),
      RUNS,
    );
  });

  test('an object with one key that looks like a tag comes back as that object', () => {
    fc.assert(
      fc.property(trickyKey, anyValue, (name, value) => {
        const object = Object.fromEntries([[name, value]]);
        deepStrictEqual(store(object), object);
      }),
      RUNS,
    );
  });

  test.each([
    ['a Date', new Date(0), { $date: '1970-01-01T00:00:00.000Z' }],
    ['a bigint', 2n ** 70n, { $bigint: '1180591620717411303424' }],
    ['NaN', Number.NaN, { $number: 'NaN' }],
    ['minus infinity', Number.NEGATIVE_INFINITY, { $number: '-Infinity' }],
    ['minus zero', -0, { $number: '-0' }],
    ['bytes', new Uint8Array([0, 255, 16]), { $bytes: 'AP8Q' }],
    ['a Map', new Map([[1, 'a']]), { $map: [[1, 'a']] }],
    ['a Set', new Set(['a', 'b']), { $set: ['a', 'b'] }],
    ['an object that looks like a tag', { $date: 'x' }, { $object: { $date: 'x' } }],
    ['an object with more keys than a tag has', { $date: 'x', a: 1 }, { $date: 'x', a: 1 }],
  ])('the stored form of %s never changes, because rows outlive versions', (_name, value, stored) => {
    expect(serialize(value)).toStrictEqual(stored);
    expect(deserialize(stored)).toStrictEqual(value);
  });

  test('a stored key __proto__ stays a key and changes no prototype', () => {
    const value = store(JSON.parse('{ "__proto__": { "isAdmin": true } }')) as Record<string, unknown>;
    expect(Object.keys(value)).toStrictEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value.isAdmin).toBeUndefined();
  });

  test('a property that is undefined is left out, as in JSON', () => {
    expect(serialize({ a: undefined, b: 1 })).toStrictEqual({ b: 1 });
  });

  test('an object that is a tag once its undefined properties are gone is still read as an object', () => {
    expect(store({ $date: '2026-01-01', zone: undefined })).toStrictEqual({ $date: '2026-01-01' });
  });

  test('an object without a prototype is plain data', () => {
    expect(store(Object.assign(Object.create(null), { a: 1 }))).toStrictEqual({ a: 1 });
  });

  test('bytes of more than one chunk come back equal', () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_item, index) => index % 251);
    expect(store(bytes)).toStrictEqual(bytes);
  });

  test('a Buffer of Node is stored as its bytes and comes back as a Uint8Array', () => {
    expect(store(Buffer.from('hi'))).toStrictEqual(new Uint8Array([104, 105]));
  });

  test('an object used twice without a cycle is stored twice', () => {
    const shared = { a: 1 };
    expect(store([shared, shared])).toStrictEqual([{ a: 1 }, { a: 1 }]);
  });

  test('a value nested 200 levels deep is stored', () => {
    expect(store(nested(MAX_DEPTH))).toStrictEqual(nested(MAX_DEPTH));
  });

  test('stored data with an unknown tag says that a newer core wrote it', () => {
    expect(() => deserialize({ a: [{ $decimal: '1.5' }] })).toThrow(DeserializationError);
    expect(() => deserialize({ a: [{ $decimal: '1.5' }] })).toThrow('unknown tag "$decimal"');
  });
});

describe('serialize refuses', () => {
  class Client {
    readonly url = 'https://acme.example';
  }
  class Token {
    readonly value = 1;
  }
  const cycle: Record<string, unknown> = { child: {} };
  (cycle.child as Record<string, unknown>).parent = cycle;
  const cyclicMap = new Map<string, unknown>();
  cyclicMap.set('self', cyclicMap);
  const sparse = [1, 2, 3];
  delete sparse[1];
  const INSTANCE =
    'Class instances lose their class in storage: pass the plain data or the id needed to make it again, such as a connection id.';

  test.each<[string, unknown, string, string, string]>([
    ['a class instance', { hook: new Client() }, 'kwargs.hook', 'an instance of Client', INSTANCE],
    [
      'an instance inside an array in a map',
      { byName: new Map([['a', [new Token()]]]) },
      'kwargs.byName.get("a")[0]',
      'an instance of Token',
      INSTANCE,
    ],
    [
      'an instance as the key of a map',
      new Map([[new Token(), 1]]),
      'kwargs.keys[0]',
      'an instance of Token',
      INSTANCE,
    ],
    [
      'an instance behind an object as key',
      new Map([[{}, new Token()]]),
      'kwargs.get(#0)',
      'an instance of Token',
      INSTANCE,
    ],
    [
      'an instance in a set',
      { all: new Set([1, new Token()]) },
      'kwargs.all.values[1]',
      'an instance of Token',
      INSTANCE,
    ],
    ['a RegExp', { pattern: /a/ }, 'kwargs.pattern', 'an instance of RegExp', INSTANCE],
    ['an Error', new Error('x'), 'kwargs', 'an instance of Error', INSTANCE],
    ['a boxed string', Object('x'), 'kwargs', 'an instance of String', INSTANCE],
    [
      'a promise',
      { rows: Promise.resolve(1) },
      'kwargs.rows',
      'an instance of Promise',
      'Await it first and pass the result.',
    ],
    [
      'a typed array of another kind',
      { vector: new Float32Array(2) },
      'kwargs.vector',
      'an instance of Float32Array',
      'Pass a Uint8Array over the same bytes.',
    ],
    [
      'an ArrayBuffer',
      { buffer: new ArrayBuffer(2) },
      'kwargs.buffer',
      'an instance of ArrayBuffer',
      'Pass a Uint8Array over the same bytes.',
    ],
    [
      'a named function',
      { check: function isReady() {} },
      'kwargs.check',
      'the function isReady',
      'Pass data and look the function up when it runs.',
    ],
    ['a nameless function', [() => 1], 'kwargs[0]', 'a function', 'Pass data and look the function up when it runs.'],
    ['a symbol', { kind: Symbol('k') }, 'kwargs.kind', 'the symbol Symbol(k)', 'Pass a string.'],
    [
      'an object with a symbol as key',
      { a: { [Symbol('k')]: 1 } },
      'kwargs.a',
      'an object with the symbol key Symbol(k)',
      'Use string keys.',
    ],
    [
      'a cycle',
      cycle,
      'kwargs.child.parent',
      'a reference to one of its own parents',
      'Pass an id instead of the object.',
    ],
    [
      'a map that holds itself',
      cyclicMap,
      'kwargs.get("self")',
      'a reference to one of its own parents',
      'Pass an id instead of the object.',
    ],
    ['a hole in an array', { list: sparse }, 'kwargs.list[1]', 'undefined', 'Pass null, or leave the property out.'],
    [
      'undefined in an array',
      { list: [undefined] },
      'kwargs.list[0]',
      'undefined',
      'Pass null, or leave the property out.',
    ],
    ['undefined itself', undefined, 'kwargs', 'undefined', 'Pass null, or leave the property out.'],
    [
      'undefined as the value in a map',
      new Map([['a', undefined]]),
      'kwargs.get("a")',
      'undefined',
      'Pass null, or leave the property out.',
    ],
    [
      'an invalid Date',
      { 'start at': new Date('yesterday') },
      'kwargs["start at"]',
      'an invalid Date',
      'Check how it was made; new Date("…") did not understand its text.',
    ],
    [
      'a value nested too deep',
      nested(MAX_DEPTH + 1),
      `kwargs${'[0]'.repeat(MAX_DEPTH)}`,
      'nested deeper than 200 levels',
      'Pass a flatter value, or an id.',
    ],
  ])('%s, with the path to it and what to pass instead', (_name, value, path, found, hint) => {
    const error = catchError(() => serialize(value, 'kwargs'));
    expect(error).toBeInstanceOf(SerializationError);
    expect(error).toMatchObject({ message: `Cannot store ${path}: it is ${found}. ${hint}`, path, found, hint });
  });

  test.each([
    ['Map', new (class Registry extends Map {})()],
    ['Set', new (class Tags extends Set {})()],
    ['Date', new (class Holiday extends Date {})(0)],
    ['Array', new (class Rows extends Array {})()],
  ])('an instance of a subclass of %s, because it would come back without its class', (_name, value) => {
    expect(() => serialize(value)).toThrow(`an instance of ${value.constructor.name}`);
  });

  test('an object that only pretends to be a Map, without a TypeError', () => {
    const pretender = {
      get [Symbol.toStringTag]() {
        return 'Map';
      },
    };
    expect(() => serialize(pretender)).toThrow(SerializationError);
  });

  test('a path names "value" where the caller gives no name', () => {
    expect(() => serialize({ a: undefined, b: [Symbol('s')] })).toThrow('Cannot store value.b[0]: ');
  });
});

describe('canonicalize', () => {
  test('equal values have one text, whatever the order of keys, entries and members', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(canonicalize(reversed(value))).toBe(canonicalize(value));
      }),
      RUNS,
    );
  });

  test('a value has the same text before and after storage', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(canonicalize(store(value))).toBe(canonicalize(value));
      }),
      RUNS,
    );
  });

  test('two values have the same text only if they are equal', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        expect(canonicalize(a) === canonicalize(b)).toBe(isSame(a, b));
      }),
      RUNS,
    );
  });

  test('a list is another value in another order, also below a key that looks like a tag', () => {
    fc.assert(
      fc.property(trickyKey, fc.uniqueArray(fc.integer(), { minLength: 2, maxLength: 5 }), (name, list) => {
        const forwards = Object.fromEntries([[name, list]]);
        const backwards = Object.fromEntries([[name, [...list].reverse()]]);
        expect(canonicalize(forwards)).not.toBe(canonicalize(backwards));
      }),
      RUNS,
    );
  });

  test.each([
    ['a number and its text', 1, '1'],
    ['zero and minus zero', 0, -0],
    ['null and an empty object', null, {}],
    ['an array and a set', [1], new Set([1])],
    ['an object and a map', { a: 1 }, new Map([['a', 1]])],
    ['a date and its text', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a date and an object that looks like its stored form', new Date(0), { $date: '1970-01-01T00:00:00.000Z' }],
    ['a set and an object that looks like its stored form', new Set([1]), { $set: [1] }],
  ])('%s have different texts', (_name, a, b) => {
    expect(canonicalize(a)).not.toBe(canonicalize(b));
  });

  test('an update for MongoDB, { $set: { … } }, has a text like any other object', () => {
    expect(canonicalize({ update: { $set: { b: 2, a: 1 } } })).toBe('{"update":{"$object":{"$set":{"a":1,"b":2}}}}');
  });

  test('its form never changes, because stored hashes are made from it', () => {
    const value = {
      b: [2, 1],
      a: new Map<unknown, unknown>([
        ['y', 1n],
        ['x', new Date(0)],
      ]),
      c: new Set([2, 1]),
    };
    expect(canonicalize(value)).toBe(
      '{"a":{"$map":[["x",{"$date":"1970-01-01T00:00:00.000Z"}],["y",{"$bigint":"1"}]]},"b":[2,1],"c":{"$set":[1,2]}}',
    );
  });

  test('what cannot be stored has no text', () => {
    expect(() => canonicalize({ a: () => 1 })).toThrow(SerializationError);
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
