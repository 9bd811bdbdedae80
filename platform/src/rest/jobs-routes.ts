import { z } from 'zod';
import { listJobs } from '../store/job-queries.ts';
import type { Api, ApiServices } from './api.ts';
import { pageOf, pageQuery, paginate } from './page.ts';
import { flag, instant, named } from './schemas.ts';

export function jobsRoutes(api: Api, { database }: ApiServices): void {
  api.get(
    '/jobs',
    {
      schema: {
        tags: ['System'],
        summary: 'List schedulers, triggerers and other jobs, newest first',
        querystring: listQuery,
        response: { 200: pageOf(jobSchema) },
      },
    },
    ({ query }) =>
      paginate(
        query,
        (before: number | null, limit) => listJobs(database, { type: query.type, isAlive: query.alive }, before, limit),
        (row) => row.id,
      ),
  );
}

const listQuery = pageQuery({ type: z.string().optional(), alive: flag.optional() });

const jobSchema = named(
  'Job',
  z.object({
    id: z.int(),
    type: z.string(),
    hostname: z.string(),
    pid: z.int(),
    state: z.string(),
    isAlive: z.boolean(),
    startedAt: instant,
    heartbeatAt: instant,
    endedAt: instant.nullable(),
  }),
);
