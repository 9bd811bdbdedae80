import type { SqlResult } from '../sql-engine.ts';

/** A result in the form of BigQuery's API: a schema, and rows of `{ f: [{ v }] }` with texts. */
export function bigQueryRows(result: SqlResult) {
  const fields = result.columns.map(({ name, type }) => ({ name, ...fieldType(type) }));
  const rows = result.rows.map((row) => ({ f: row.map((value, index) => ({ v: cell(value, fields[index]!) })) }));
  return { schema: { fields }, rows };
}

interface FieldType {
  readonly type: string;
  readonly mode: 'NULLABLE' | 'REPEATED';
}

function fieldType(duckType: string): FieldType {
  if (duckType.endsWith('[]')) return { type: fieldType(duckType.slice(0, -2)).type, mode: 'REPEATED' };
  return { type: TYPES.find(([pattern]) => pattern.test(duckType))?.[1] ?? 'STRING', mode: 'NULLABLE' };
}

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/INT/, 'INTEGER'],
  [/^(DOUBLE|FLOAT)/, 'FLOAT'],
  [/^DECIMAL/, 'NUMERIC'],
  [/^BOOLEAN/, 'BOOLEAN'],
  [/^TIMESTAMP WITH TIME ZONE/, 'TIMESTAMP'],
  [/^TIMESTAMP/, 'DATETIME'],
  [/^DATE/, 'DATE'],
  [/^TIME/, 'TIME'],
];

function cell(value: unknown, field: FieldType): unknown {
  if (value === null) return null;
  if (field.mode === 'REPEATED')
    return (value as unknown[]).map((item) => ({ v: cell(item, { ...field, mode: 'NULLABLE' }) }));
  // Microseconds since 1970, which clients ask for with useInt64Timestamp.
  if (field.type === 'TIMESTAMP') return String(Date.parse(`${value}:00`.replace(' ', 'T')) * 1000);
  if (field.type === 'DATETIME') return String(value).replace(' ', 'T');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
