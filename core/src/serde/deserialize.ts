import type { Json } from '../json.ts';
import { DeserializationError } from './deserialization-error.ts';

/** The inverse of `serialize`. The caller names the type; what was stored is trusted to have it. */
export function deserialize<T = unknown>(json: Json): T {
  return decode(json) as T;
}

function decode(json: Json): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(decode);
  const entries = Object.entries(json);
  const [first] = entries;
  if (entries.length === 1 && first?.[0].startsWith('$')) return decodeTag(first[0], first[1]);
  return decodeEntries(entries);
}

function decodeTag(tag: string, content: Json): unknown {
  switch (tag) {
    case '$date':
      return new Date(content as string);
    case '$bigint':
      return BigInt(content as string);
    case '$number':
      return Number(content);
    case '$bytes':
      return Uint8Array.from(atob(content as string), (char) => char.charCodeAt(0));
    case '$map':
      return new Map((content as [Json, Json][]).map(([key, item]) => [decode(key), decode(item)]));
    case '$set':
      return new Set((content as Json[]).map(decode));
    case '$object':
      return decodeEntries(Object.entries(content as { [key: string]: Json }));
    default:
      throw new DeserializationError(tag);
  }
}

/** `fromEntries` defines properties, so that a stored key `__proto__` stays a key. */
function decodeEntries(entries: [string, Json][]): unknown {
  return Object.fromEntries(entries.map(([key, item]) => [key, decode(item)]));
}
