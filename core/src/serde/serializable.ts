import type { Json } from '../json.ts';

/** Any value that survives storage: JSON plus Date, bigint, Uint8Array, Map and Set. */
export type Serializable =
  | Leaf
  | readonly Serializable[]
  | { readonly [key: string]: Serializable }
  | ReadonlyMap<Serializable, Serializable>
  | ReadonlySet<Serializable>;

/**
 * `Ser<T>` is T where T survives storage, and something T cannot be assigned to where it does not: functions, symbols
 * and objects with methods (hooks, clients) do not compile as trigger kwargs.
 *
 * The constraint is `K extends { [P in keyof K]: Ser<K[P]> }` and not `K extends Serializable`, because an interface
 * has no index signature and would be refused by the latter. `unknown` passes: types cannot see it, `defer` can.
 */
export type Ser<T> = unknown extends T
  ? T
  : T extends Leaf | undefined
    ? T
    : T extends (...args: never[]) => unknown
      ? NotSerializable<'a function does not survive storage: pass data, or a classpath'>
      : T extends symbol
        ? NotSerializable<'a symbol does not survive storage: pass a string'>
        : // `Json` refers to itself, so it is taken whole: looked into, it would never end.
          T extends Json
          ? T
          : T extends ReadonlyMap<infer K, infer V>
            ? ReadonlyMap<Ser<K>, Ser<V>>
            : T extends ReadonlySet<infer V>
              ? ReadonlySet<Ser<V>>
              : { readonly [P in keyof T]: Ser<T[P]> };

/** The constraint for kwargs of triggers and resume methods: `K extends SerializableKwargs<K>`. */
export type SerializableKwargs<K> = { readonly [P in keyof K]: Ser<K[P]> };

/** Appears in compiler messages only. */
export interface NotSerializable<Reason extends string> {
  readonly __notSerializable: Reason;
}

type Leaf = null | boolean | number | string | bigint | Date | Uint8Array;
