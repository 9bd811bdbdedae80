import type { Queryable } from './database.ts';

/** The fields of a stored connection, still encrypted (for `connectionPurpose`); null when there is none. */
export async function getConnectionFields(client: Queryable, connId: string): Promise<Buffer | null> {
  const { rows } = await client.query<{ fields: Buffer }>('select fields from connection where conn_id = $1', [connId]);
  return rows[0]?.fields ?? null;
}

/** `fields` is still encrypted. */
export interface ConnectionRow {
  readonly connId: string;
  readonly fields: Buffer;
  readonly updatedAt: Date;
}

/** By id. */
export async function listConnections(
  client: Queryable,
  afterConnId: string | null,
  limit: number,
): Promise<ConnectionRow[]> {
  const { rows } = await client.query<ConnectionRow>(
    `select conn_id as "connId", fields, updated_at as "updatedAt" from connection
      where $1::text is null or conn_id > $1 order by conn_id limit $2`,
    [afterConnId, limit],
  );
  return rows;
}

export async function getConnection(client: Queryable, connId: string): Promise<ConnectionRow | null> {
  const { rows } = await client.query<ConnectionRow>(
    'select conn_id as "connId", fields, updated_at as "updatedAt" from connection where conn_id = $1',
    [connId],
  );
  return rows[0] ?? null;
}

/** Creates or replaces it; `fields` is encrypted for `connectionPurpose`. */
export async function putConnection(
  client: Queryable,
  connId: string,
  connType: string,
  fields: Buffer,
): Promise<void> {
  await client.query(
    `insert into connection (conn_id, conn_type, fields) values ($1, $2, $3)
     on conflict (conn_id) do update set conn_type = $2, fields = $3, updated_at = now()`,
    [connId, connType, fields],
  );
}

/** Answers whether there was one. */
export async function deleteConnection(client: Queryable, connId: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from connection where conn_id = $1', [connId]);
  return rowCount === 1;
}

export function connectionPurpose(connId: string): string {
  return `connection.fields:${connId}`;
}
