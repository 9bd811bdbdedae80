/** Turns a column's text into a value; the part of `pg`'s types that is used here. */
export interface ColumnTypes {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: any) => unknown;
}

/**
 * Values as results of tasks can keep them, and without loss:
 * - `bigint` is a number where it fits, otherwise a bigint (`count(*)` is one of these);
 * - `date` and `timestamp` without a zone stay texts: as a `Date` they would mean another instant on another machine;
 * - `interval` stays a text, `bytea` is a Uint8Array. `numeric` stays a text, as `pg` has it.
 */
export function storableTypes(types: ColumnTypes): ColumnTypes {
  return { getTypeParser: (oid, format = 'text') => OWN_PARSERS.get(oid) ?? types.getTypeParser(oid, format) };
}

const asText = (text: string) => text;

const OWN_PARSERS = new Map<number, (text: string) => unknown>([
  [17, (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'))], // bytea, as \x…
  [20, exactInteger], // int8
  [1082, asText], // date
  [1114, asText], // timestamp
  [1186, asText], // interval
]);

function exactInteger(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
