import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { getJobHealth, type JobHealth } from '../store/job-queries.ts';
import type { Api, ApiServices } from './api.ts';
import { DAG_PROCESSOR, SCHEDULER, TRIGGERER } from './job-types.ts';
import { instant, named } from './schemas.ts';

export function healthRoutes(api: Api, services: ApiServices): void {
  const tags = ['System'];
  const config = { isPublic: true };

  api.get(
    '/health',
    {
      config,
      schema: {
        tags,
        summary: 'How the parts of the platform are',
        response: { 200: healthSchema, 503: healthSchema },
      },
    },
    async (_request, reply) => {
      const health = await readHealth(services);
      return reply.code(health.database.status === 'healthy' ? 200 : 503).send(health);
    },
  );

  api.get(
    '/version',
    {
      config,
      schema: { tags, summary: 'The version of the platform', response: { 200: z.object({ version: z.string() }) } },
    },
    async () => ({ version: services.version }),
  );
}

/** 503 only where this server itself cannot work: restarting it would not bring a scheduler back. */
async function readHealth({ database, log }: ApiServices): Promise<z.output<typeof healthSchema>> {
  const jobs = await Promise.race([getJobHealth(database), sleep(DATABASE_MS, null, { ref: false })]).catch(
    (error: unknown) => {
      log.warning(`The database did not answer the health check: ${error instanceof Error ? error.message : error}`);
      return null;
    },
  );
  const parts = {
    database: { status: jobs ? ('healthy' as const) : ('unhealthy' as const) },
    scheduler: partOf(jobs, SCHEDULER),
    triggerer: partOf(jobs, TRIGGERER),
    dagProcessor: partOf(jobs, DAG_PROCESSOR),
  };
  const isUnhealthy = Object.values(parts).some(({ status }) => status === 'unhealthy');
  return { status: isUnhealthy ? 'unhealthy' : 'healthy', ...parts };
}

/** None: there was never one, or the last one was stopped in order. */
function partOf(jobs: readonly JobHealth[] | null, type: string): z.output<typeof partSchema> {
  const job = jobs?.find((each) => each.type === type);
  if (!job) return { status: 'none', latestHeartbeat: null, alive: 0 };
  const { alive, hasEnded, latestHeartbeat } = job;
  return { status: alive > 0 ? 'healthy' : hasEnded ? 'none' : 'unhealthy', latestHeartbeat, alive };
}

const DATABASE_MS = 3000;

const status = z.enum(['healthy', 'unhealthy', 'none']);
const partSchema = z.object({ status, latestHeartbeat: instant.nullable(), alive: z.int() });
const healthSchema = named(
  'Health',
  z.object({
    status,
    database: z.object({ status }),
    scheduler: partSchema,
    triggerer: partSchema,
    dagProcessor: partSchema,
  }),
);
