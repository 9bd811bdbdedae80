import type { Queryable } from './database.ts';

/** The value of a stored variable, still encrypted (for `variablePurpose`); null when there is none. */
export async function getVariableValue(client: Queryable, key: string): Promise<Buffer | null> {
  const { rows } = await client.query<{ value: Buffer }>('select value from variable where key = $1', [key]);
  return rows[0]?.value ?? null;
}

/** `value` is still encrypted. */
export interface VariableRow {
  readonly key: string;
  readonly value: Buffer;
  readonly updatedAt: Date;
}

/** By key. */
export async function listVariables(client: Queryable, afterKey: string | null, limit: number): Promise<VariableRow[]> {
  const { rows } = await client.query<VariableRow>(
    `select key, value, updated_at as "updatedAt" from variable
      where $1::text is null or key > $1 order by key limit $2`,
    [afterKey, limit],
  );
  return rows;
}

export async function getVariable(client: Queryable, key: string): Promise<VariableRow | null> {
  const { rows } = await client.query<VariableRow>(
    'select key, value, updated_at as "updatedAt" from variable where key = $1',
    [key],
  );
  return rows[0] ?? null;
}

/** Creates or replaces it; `value` is encrypted for `variablePurpose`. */
export async function putVariable(client: Queryable, key: string, value: Buffer): Promise<void> {
  await client.query(
    `insert into variable (key, value) values ($1, $2)
     on conflict (key) do update set value = $2, updated_at = now()`,
    [key, value],
  );
}

/** Answers whether there was one. */
export async function deleteVariable(client: Queryable, key: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from variable where key = $1', [key]);
  return rowCount === 1;
}

export function variablePurpose(key: string): string {
  return `variable.value:${key}`;
}
