import type { SqlResult } from '../sql-engine.ts';

/** The columns of a result as Snowflake describes them: names in upper case, types by its own words. */
export function rowTypes(result: SqlResult) {
  return result.columns.map(({ name, type }) => ({
    name: name.toUpperCase(),
    database: '',
    schema: '',
    table: '',
    nullable: true,
    byteLength: null,
    length: null,
    collation: null,
    ...snowflakeType(type),
  }));
}

/** The values as texts. The driver's protocol writes true as 1, the SQL API as true. */
export function rowSet(result: SqlResult, protocol: 'driver' | 'sqlApi'): (string | null)[][] {
  const types = result.columns.map(({ type }) => snowflakeType(type).type);
  return result.rows.map((row) => row.map((value, index) => cell(value, types[index]!, protocol)));
}

function snowflakeType(duckType: string): { type: string; scale: number | null; precision: number | null } {
  if (/INT/.test(duckType)) return { type: 'fixed', scale: 0, precision: 38 };
  const decimal = /^DECIMAL\((\d+),(\d+)\)/.exec(duckType);
  if (decimal) return { type: 'fixed', precision: Number(decimal[1]), scale: Number(decimal[2]) };
  const type = TYPES.find(([pattern]) => pattern.test(duckType))?.[1] ?? 'text';
  return { type, scale: type.startsWith('timestamp') ? 9 : null, precision: null };
}

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(DOUBLE|FLOAT)/, 'real'],
  [/^BOOLEAN/, 'boolean'],
  [/^TIMESTAMP/, 'timestamp_ntz'],
  [/^DATE/, 'date'],
];

function cell(value: unknown, type: string, protocol: 'driver' | 'sqlApi'): string | null {
  if (value === null) return null;
  if (type === 'boolean' && protocol === 'driver') return value ? '1' : '0';
  if (type === 'date') return String(Date.parse(`${value}T00:00:00Z`) / 86_400_000);
  if (type === 'timestamp_ntz') return String(Date.parse(`${String(value).slice(0, 19).replace(' ', 'T')}Z`) / 1000);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
