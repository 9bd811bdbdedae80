import type { Json } from '../json.ts';
import { serialize } from '../serde/serialize.ts';

/** A result as it travels: nothing, a value, or a reference that the project's `XComBackend` gave for it. */
export type XComValue =
  | { readonly type: 'none' }
  | { readonly type: 'value'; readonly value: Json }
  | { readonly type: 'reference'; readonly reference: Json };

/** Undefined is no result; everything else is serialized. */
export function toXComValue(value: unknown): XComValue {
  return value === undefined ? { type: 'none' } : { type: 'value', value: serialize(value, 'the result') };
}
