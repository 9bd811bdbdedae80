import { z } from 'zod';
import { listAudit } from '../store/audit.ts';
import type { Api, ApiServices } from './api.ts';
import { pageOf, pageQuery, paginate } from './page.ts';
import { components, instant, jsonObject, named } from './schemas.ts';

export function auditRoutes(api: Api, { database }: ApiServices): void {
  api.get(
    '/audit',
    {
      schema: {
        tags: ['System'],
        summary: 'List who changed what, newest first',
        querystring: pageQuery({}),
        response: { 200: pageOf(auditSchema) },
      },
    },
    ({ query }) =>
      paginate(
        query,
        (before: number | null, limit) => listAudit(database, before, limit),
        (row) => row.id,
      ),
  );
}

const auditSchema = named(
  'AuditEntry',
  z.object({
    id: z.int(),
    at: instant,
    actor: z.string().register(components, { description: 'The name of the token.' }),
    action: z.string(),
    subject: z.string(),
    details: jsonObject,
  }),
);
