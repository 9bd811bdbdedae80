import type { Json } from '../json.ts';
import { SerializationError } from './serialization-error.ts';

/**
 * Turns a value into JSON that `deserialize` turns back into an equal value. What JSON lacks is an object with one
 * key that starts with `$`: `{ "$date": "2026-01-01T00:00:00.000Z" }`. `name` begins the path in error messages.
 *
 * Properties that are `undefined` are left out, as in JSON. Everything else that would change on the way is refused.
 */
export function serialize(value: unknown, name = 'value'): Json {
  return encode(value, name, []);
}

/** Deep enough for any data; a deeper value is most likely an object graph passed by mistake. */
const MAX_DEPTH = 200;

function encode(value: unknown, path: string, parents: object[]): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $number: Object.is(value, -0) ? '-0' : `${value}` };
    case 'bigint':
      return { $bigint: value.toString() };
    case 'undefined':
      throw new SerializationError(path, 'undefined', 'Pass null, or leave the property out.');
    case 'function':
      throw new SerializationError(path, describeFunction(value), 'Pass data and look the function up when it runs.');
    case 'symbol':
      throw new SerializationError(path, `the symbol ${String(value)}`, 'Pass a string.');
    default:
      return value === null ? null : encodeObject(value as object, path, parents);
  }
}

function encodeObject(value: object, path: string, parents: object[]): Json {
  if (parents.includes(value)) {
    throw new SerializationError(path, 'a reference to one of its own parents', 'Pass an id instead of the object.');
  }
  if (parents.length >= MAX_DEPTH) {
    throw new SerializationError(path, `nested deeper than ${MAX_DEPTH} levels`, 'Pass a flatter value, or an id.');
  }
  parents.push(value);
  try {
    return encodeContainer(value, path, parents);
  } finally {
    parents.pop();
  }
}

function encodeContainer(value: object, path: string, parents: object[]): Json {
  if (Array.isArray(value) && isExactly(value, 'Array'))
    return Array.from(value, (item, index) => encode(item, `${path}[${index}]`, parents));
  const kind = kindOf(value);
  if (kind === 'Date') return encodeDate(value as Date, path);
  if (kind === 'Uint8Array') return { $bytes: toBase64(value as Uint8Array) };
  if (kind === 'Map') {
    const entries = [...(value as Map<unknown, unknown>)];
    return {
      $map: entries.map(([key, item], index) => [
        encode(key, `${path}.keys[${index}]`, parents),
        encode(item, `${path}.get(${shortKey(key, index)})`, parents),
      ]),
    };
  }
  if (kind === 'Set') {
    return {
      $set: [...(value as Set<unknown>)].map((item, index) => encode(item, `${path}.values[${index}]`, parents)),
    };
  }
  if (!isPlainObject(value)) {
    throw new SerializationError(
      path,
      `an instance of ${value.constructor?.name || 'a class'}`,
      hintForInstance(value),
    );
  }
  return encodePlainObject(value as Record<string, unknown>, path, parents);
}

function encodePlainObject(value: Record<string, unknown>, path: string, parents: object[]): Json {
  const symbol = Object.getOwnPropertySymbols(value).find((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  );
  if (symbol) throw new SerializationError(path, `an object with the symbol key ${String(symbol)}`, 'Use string keys.');
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) entries.push([key, encode(item, pathOf(path, key), parents)]);
  }
  const encoded = Object.fromEntries(entries);
  // An object that looks like a tag is wrapped, so that decoding stays unambiguous.
  return entries.length === 1 && entries[0]![0].startsWith('$') ? { $object: encoded } : encoded;
}

/** The built-in class of a value, in this realm or in another; undefined for subclasses and pretenders. */
function kindOf(value: object): string | undefined {
  if (ArrayBuffer.isView(value)) return Object.prototype.toString.call(value).slice(8, -1);
  return ['Date', 'Map', 'Set'].find((name) => isExactly(value, name));
}

/** Its prototype is that of a class with this name, which has no parent but Object. */
function isExactly(value: object, name: string): boolean {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || !Object.hasOwn(prototype, 'constructor')) return false;
  return (
    prototype.constructor.name === name &&
    /\[native code\]/.test(Function.prototype.toString.call(prototype.constructor))
  );
}

/** Plain: made by `{}`, `Object.create(null)` or JSON.parse, in this realm or in another one. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function encodeDate(date: Date, path: string): Json {
  if (Number.isNaN(date.getTime())) {
    throw new SerializationError(
      path,
      'an invalid Date',
      'Check how it was made; new Date("…") did not understand its text.',
    );
  }
  return { $date: date.toISOString() };
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += 8192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return btoa(binary);
}

function hintForInstance(value: object): string {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'Pass a Uint8Array over the same bytes.';
  if (typeof (value as { then?: unknown }).then === 'function') return 'Await it first and pass the result.';
  return 'Class instances lose their class in storage: pass the plain data or the id needed to make it again, such as a connection id.';
}

function describeFunction(fn: unknown): string {
  const name = (fn as { name?: string }).name;
  return name ? `the function ${name}` : 'a function';
}

function pathOf(parent: string, key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`;
}

function shortKey(key: unknown, index: number): string {
  return typeof key === 'string' || typeof key === 'number' ? JSON.stringify(key) : `#${index}`;
}
