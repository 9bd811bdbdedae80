/** A value of a row, in a form that can be stored. */
export type SnowflakeValue = null | boolean | number | bigint | string | Date | Uint8Array;
export type SnowflakeRow = Readonly<Record<string, SnowflakeValue>>;
/** A value for a `?` in a statement. */
export type SnowflakeParameter = string | number | boolean | null;

export interface RowType {
  readonly name: string;
  readonly type: string;
  readonly scale?: number | null;
}

/** The SQL API sends texts. The same types as the driver gives: numbers, bigint beyond 2^53, Date for times. */
export function decodeRow(types: readonly RowType[], row: readonly (string | null)[]): SnowflakeRow {
  return Object.fromEntries(types.map((type, index) => [type.name, decode(type, row[index] ?? null)]));
}

function decode({ type, scale }: RowType, value: string | null): SnowflakeValue {
  if (value === null) return null;
  if (type === 'fixed') return wholeOrNumber(value, scale ?? 0);
  if (type === 'real') return Number(value);
  if (type === 'boolean') return value === 'true';
  if (type === 'date') return new Date(Number(value) * 86_400_000);
  if (type === 'timestamp_tz') return new Date(Number(value.split(' ')[0]) * 1000);
  if (type.startsWith('timestamp')) return new Date(Number(value) * 1000);
  return value;
}

function wholeOrNumber(value: string, scale: number): number | bigint {
  const number = Number(value);
  return scale === 0 && !Number.isSafeInteger(number) ? BigInt(value) : number;
}

/** What the driver gives, without its classes. */
export function plainRow(row: Readonly<Record<string, unknown>>): SnowflakeRow {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): SnowflakeValue {
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof Uint8Array) return new Uint8Array(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SnowflakeValue);
}

/** Parameters in the form of the SQL API, numbered from 1. */
export function bindingsOf(parameters: readonly SnowflakeParameter[]): Record<string, SnowflakeBinding> {
  return Object.fromEntries(parameters.map((value, index) => [String(index + 1), bindingOf(value)]));
}

export interface SnowflakeBinding {
  readonly type: string;
  readonly value: string | null;
}

function bindingOf(value: SnowflakeParameter): SnowflakeBinding {
  const text = value === null ? null : String(value);
  if (typeof value === 'boolean') return { type: 'BOOLEAN', value: text };
  if (typeof value !== 'number') return { type: 'TEXT', value: text };
  return { type: Number.isInteger(value) ? 'FIXED' : 'REAL', value: text };
}
