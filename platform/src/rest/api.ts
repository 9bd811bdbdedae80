import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json, Logger, LogStore } from '@windhover/core';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Lookup } from '../connections/lookup.ts';
import type { DagVersions } from '../dags/dag-versions.ts';
import { type AuditEntry, insertAudit } from '../store/audit.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { ChangeWriter, Cipher } from '../task-instances/change-writer.ts';

/** A fastify instance whose routes are typed by their zod schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** What routes need. */
export interface ApiServices {
  readonly database: Database;
  readonly writer: ChangeWriter;
  readonly versions: DagVersions;
  readonly cipher: Cipher;
  readonly lookup: Lookup;
  /** By connection type: the classpath of its hook. */
  readonly connectionTypes: ReadonlyMap<string, string>;
  readonly logStore: LogStore;
  readonly log: Logger;
  /** What `/version` answers. */
  readonly version: string;
  /** Aborted when the server begins to close: whoever waits for something answers now. */
  readonly closing: AbortSignal;
}

/** Writes who did it; in the transaction of the change where there is one. */
export async function audit(
  client: Queryable,
  request: FastifyRequest,
  action: string,
  subject: string,
  details: Readonly<Record<string, Json>> = {},
): Promise<void> {
  const entry: AuditEntry = { actor: request.actor, action, subject, details };
  await insertAudit(client, entry);
}
