import type { Json } from '@windhover/core';
import { z } from 'zod';
import {
  cancelBackfill,
  createBackfill,
  getBackfillOrThrow,
  pauseBackfill,
  resumeBackfill,
} from '../backfills/backfills.ts';
import { planBackfill } from '../backfills/plan-backfill.ts';
import { listBackfills } from '../store/backfills.ts';
import { type Api, type ApiServices, audit } from './api.ts';
import { pageOf, pageQuery, paginate } from './page.ts';
import { components, id, instant, jsonObject, named, wholeNumber } from './schemas.ts';

export function backfillsRoutes(api: Api, services: ApiServices): void {
  const { database } = services;
  const tags = ['Backfills'];

  api.get(
    '/backfills',
    {
      schema: {
        tags,
        summary: 'List backfills, newest first',
        querystring: listQuery,
        response: { 200: pageOf(backfillSchema) },
      },
    },
    ({ query }) =>
      paginate(
        query,
        (before: number | null, limit) =>
          listBackfills(database, {
            limit,
            ...(query.dagId === undefined ? {} : { dagId: query.dagId }),
            ...(before === null ? {} : { beforeId: before }),
          }),
        (row) => row.id,
      ),
  );

  api.post(
    '/backfills',
    {
      schema: {
        tags,
        summary: 'Run a DAG for dates of its schedule',
        body: createBody,
        response: { 200: plan, 201: backfillSchema },
      },
    },
    async (request, reply) => {
      const { dryRun, conf, ...options } = request.body;
      const wanted = { ...options, conf: conf as Record<string, Json> };
      if (dryRun) return reply.code(200).send({ dates: [...(await planBackfill(database, wanted))] });
      const created = await createBackfill(services, wanted);
      const { dagId, from, to } = options;
      const details = { dagId, from: from.toISOString(), to: to.toISOString() };
      await audit(database, request, 'backfill.create', String(created.id), details);
      return reply.code(201).send(await getBackfillOrThrow(database, created.id));
    },
  );

  api.get(
    '/backfills/:id',
    { schema: { tags, summary: 'A backfill and how far it has got', params, response: { 200: backfillSchema } } },
    (request) => getBackfillOrThrow(database, request.params.id),
  );

  for (const [name, { act, summary }] of Object.entries(ACTIONS)) {
    api.post(
      `/backfills/:id/${name}`,
      { schema: { tags, summary, params, response: { 200: backfillSchema } } },
      async (request) => {
        const backfill = await act(services, request.params.id);
        await audit(database, request, `backfill.${name}`, String(request.params.id));
        return backfill;
      },
    );
  }
}

const ACTIONS = {
  pause: { act: pauseBackfill, summary: 'Begin no more runs of a backfill for now' },
  resume: { act: resumeBackfill, summary: 'Let a backfill go on' },
  cancel: { act: cancelBackfill, summary: 'Begin no more runs of a backfill, ever' },
} as const;

const params = z.object({ id: wholeNumber });
const listQuery = pageQuery({ dagId: z.string().optional() });
const reprocess = z
  .enum(['none', 'failed', 'all'])
  .register(components, { description: 'What becomes of dates that have a run.' });
const createBody = z.strictObject({
  dagId: z.string(),
  from: instant,
  to: instant,
  isReverse: z.boolean().default(false).register(components, { description: 'The latest date first.' }),
  reprocess: reprocess.default('none'),
  maxActiveRuns: z.int().min(1).default(10),
  conf: jsonObject.default({}),
  dryRun: z.boolean().default(false),
});

const plan = named(
  'BackfillPlan',
  z.object({
    dates: z.array(
      z.object({
        logicalDate: instant,
        action: z.enum(['create', 'rerun', 'skip']),
        runId: z.string().optional().register(components, { description: 'The run that has the date already.' }),
      }),
    ),
  }),
);

const count = z.int();
const backfillSchema = named(
  'Backfill',
  z.object({
    id: z.int(),
    dagId: id,
    from: instant,
    to: instant,
    isReverse: z.boolean(),
    reprocess,
    maxActiveRuns: z.int(),
    conf: jsonObject,
    isPaused: z.boolean(),
    isCancelled: z.boolean(),
    createdAt: instant,
    endedAt: instant.nullable(),
    progress: z.object({
      totalDagRuns: count,
      finishedDagRuns: count,
      totalTasks: count,
      finished: count,
      succeeded: count,
      skipped: count,
      failed: count,
      running: count,
      deferred: count,
      queued: count,
    }),
  }),
);
