/** A value of a table, in a form that can be stored: no classes of the vendor's client. */
export type BigQueryValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | readonly BigQueryValue[]
  | { readonly [name: string]: BigQueryValue };

export type BigQueryRow = Readonly<Record<string, BigQueryValue>>;

export interface BigQueryField {
  readonly name: string;
  readonly type: string;
  readonly mode?: string;
  readonly fields?: readonly BigQueryField[];
}

export interface RawRow {
  readonly f: readonly { readonly v: unknown }[];
}

/**
 * BigQuery sends every value as a text. Whole numbers beyond 2^53 become bigint, TIMESTAMP a Date; NUMERIC, DATE,
 * DATETIME and TIME stay texts, because JavaScript has nothing as exact.
 */
export function decodeRow(fields: readonly BigQueryField[], row: RawRow): BigQueryRow {
  return Object.fromEntries(fields.map((field, index) => [field.name, decode(field, row.f[index]?.v)]));
}

function decode(field: BigQueryField, value: unknown): BigQueryValue {
  if (value === null || value === undefined) return null;
  if (field.mode === 'REPEATED')
    return (value as { v: unknown }[]).map(({ v }) => decode({ ...field, mode: 'NULLABLE' }, v));
  const text = String(value);
  switch (field.type) {
    case 'RECORD':
    case 'STRUCT':
      return decodeRow(field.fields ?? [], value as RawRow);
    case 'INTEGER':
    case 'INT64':
      return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
    case 'FLOAT':
    case 'FLOAT64':
      return Number(text);
    case 'BOOLEAN':
    case 'BOOL':
      return text === 'true';
    case 'TIMESTAMP':
      return new Date(Number(BigInt(text) / 1000n));
    default:
      return text;
  }
}
