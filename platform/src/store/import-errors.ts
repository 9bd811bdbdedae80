import type { Queryable } from './database.ts';

export interface ImportErrorRow {
  readonly id: number;
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
  readonly stack: string | null;
  readonly createdAt: Date;
}

export async function listImportErrors(
  client: Queryable,
  afterId: number | null,
  limit: number,
): Promise<ImportErrorRow[]> {
  const { rows } = await client.query<ImportErrorRow>(
    `select id, file, line, message, stack, created_at as "createdAt" from import_error
      where $1::bigint is null or id > $1 order by id limit $2`,
    [afterId, limit],
  );
  return rows;
}
