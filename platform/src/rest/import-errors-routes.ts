import { z } from 'zod';
import { listImportErrors } from '../store/import-errors.ts';
import type { Api, ApiServices } from './api.ts';
import { pageOf, pageQuery, paginate } from './page.ts';
import { instant, named } from './schemas.ts';

export function importErrorsRoutes(api: Api, { database }: ApiServices): void {
  api.get(
    '/import-errors',
    {
      schema: {
        tags: ['DAGs'],
        summary: 'List what is wrong with DAG files',
        querystring: pageQuery({}),
        response: { 200: pageOf(importErrorSchema) },
      },
    },
    ({ query }) =>
      paginate(
        query,
        (after: number | null, limit) => listImportErrors(database, after, limit),
        (row) => row.id,
      ),
  );
}

const importErrorSchema = named(
  'ImportError',
  z.object({
    id: z.int(),
    file: z.string(),
    line: z.int().nullable(),
    message: z.string(),
    stack: z.string().nullable(),
    createdAt: instant,
  }),
);
