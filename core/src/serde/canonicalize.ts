import type { Json } from '../json.ts';
import { serialize } from './serialize.ts';

/**
 * One text for equal values: keys sorted, Map entries and Set members in the order of their own canonical text.
 * Share keys, event ids and version hashes are made from it, so its form never changes.
 */
export function canonicalize(value: unknown): string {
  return write(serialize(value));
}

function write(json: Json): string {
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  if (Array.isArray(json)) return `[${json.map(write).join(',')}]`;
  const object = json as { readonly [key: string]: Json };
  const keys = Object.keys(object).sort();
  if (keys.length === 1 && (keys[0] === '$map' || keys[0] === '$set')) {
    return `{"${keys[0]}":[${(object[keys[0]] as Json[]).map(write).sort().join(',')}]}`;
  }
  // Below $object stands an object of the user's: its one key looks like a tag and is none.
  if (keys.length === 1 && keys[0] === '$object') return `{"$object":${writeObject(object.$object as typeof object)}}`;
  return writeObject(object);
}

function writeObject(object: { readonly [key: string]: Json }): string {
  const keys = Object.keys(object).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${write(object[key]!)}`).join(',')}}`;
}
