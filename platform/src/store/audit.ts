import type { Json } from '@windhover/core';
import type { Queryable } from './database.ts';

/** Who did what to which thing. Never put a secret into `details`. */
export interface AuditEntry {
  readonly actor: string;
  /** Such as `pool.put`. */
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, Json>>;
}

export interface AuditRow extends AuditEntry {
  readonly id: number;
  readonly at: Date;
}

export async function insertAudit(client: Queryable, { actor, action, subject, details }: AuditEntry): Promise<void> {
  await client.query('insert into audit (actor, action, subject, details) values ($1, $2, $3, $4)', [
    actor,
    action,
    subject,
    JSON.stringify(details),
  ]);
}

/** Newest first. */
export async function listAudit(client: Queryable, beforeId: number | null, limit: number): Promise<AuditRow[]> {
  const { rows } = await client.query<AuditRow>(
    `select id, at, actor, action, subject, details from audit
      where $1::bigint is null or id < $1 order by id desc limit $2`,
    [beforeId, limit],
  );
  return rows;
}
