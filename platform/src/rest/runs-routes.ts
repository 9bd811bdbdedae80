import type { Json } from '@windhover/core';
import { z } from 'zod';
import { clearTasks } from '../dag-runs/clear-tasks.ts';
import { createDagRun } from '../dag-runs/create-dag-run.ts';
import { DagNotFoundError } from '../dag-runs/dag-not-found-error.ts';
import { setDagRunState } from '../dag-runs/set-dag-run-state.ts';
import { getDag } from '../store/dags.ts';
import type { Queryable } from '../store/database.ts';
import { countTaskStates, type DagRunFilter, listDagRuns } from '../store/run-queries.ts';
import { type Api, type ApiServices, audit } from './api.ts';
import { dagRunOrThrow } from './find-or-throw.ts';
import { pageOf, pageQuery, paginate } from './page.ts';
import { changedTasks, dagRunSchema, runParams, runState, runType } from './runs-schemas.ts';
import { components, instant, jsonObject, optionalBody, wholeNumber } from './schemas.ts';

export function runsRoutes(api: Api, services: ApiServices): void {
  const { database } = services;
  const tags = ['DAG runs'];

  api.get(
    '/runs',
    { schema: { tags, summary: 'List runs, newest first', querystring: listQuery, response: { 200: runsPage } } },
    ({ query }) => listPage(database, query, query),
  );

  api.get(
    '/dags/:dagId/runs',
    {
      schema: {
        tags,
        summary: 'List the runs of a DAG, newest first',
        params: dagParams,
        querystring: ofDagQuery,
        response: { 200: runsPage },
      },
    },
    async ({ query, params: { dagId } }) => {
      const page = await listPage(database, query, { ...query, dagId });
      if (page.items.length === 0 && !(await getDag(database, dagId))) throw new DagNotFoundError(dagId);
      return page;
    },
  );

  api.post(
    '/dags/:dagId/runs',
    {
      schema: { tags, summary: 'Run a DAG', params: dagParams, body: createBody, response: { 201: dagRunSchema } },
    },
    async (request, reply) => {
      const { dagId } = request.params;
      const { conf, logicalDate, dedupeKey } = request.body;
      const { runId } = await createDagRun(database, {
        dagId,
        runType: 'manual',
        conf: conf as Record<string, Json>,
        ...(logicalDate ? { logicalDate } : {}),
        ...(dedupeKey === undefined ? {} : { dedupeKey }),
      });
      await audit(database, request, 'dagRun.create', `${dagId} / ${runId}`);
      return reply.code(201).send(await dagRunOrThrow(database, dagId, runId));
    },
  );

  api.get(
    '/dags/:dagId/runs/:runId',
    {
      schema: {
        tags,
        summary: 'A run, and how many of its tasks are in which state',
        params: runParams,
        response: { 200: runDetails },
      },
    },
    async ({ params: { dagId, runId } }) => {
      const run = await dagRunOrThrow(database, dagId, runId);
      return { ...run, tasks: await countTaskStates(database, run.id) };
    },
  );

  api.patch(
    '/dags/:dagId/runs/:runId',
    {
      schema: {
        tags,
        summary: 'End a run by hand',
        params: runParams,
        body: patchBody,
        response: { 200: dagRunSchema },
      },
    },
    async (request) => {
      const { dagId, runId } = request.params;
      const { state } = request.body;
      await setDagRunState(services, { dagId, runId }, state);
      await audit(database, request, 'dagRun.mark', `${dagId} / ${runId}`, { state });
      return dagRunOrThrow(database, dagId, runId);
    },
  );

  api.post(
    '/dags/:dagId/runs/:runId/clear',
    {
      schema: {
        tags,
        summary: 'Run tasks of a run again',
        params: runParams,
        body: clearBody,
        response: { 200: changedTasks },
      },
    },
    async (request) => {
      const { dagId, runId } = request.params;
      const { dryRun, taskIds: wanted, ...options } = request.body;
      const selection = { dagId, runId, ...options, ...(wanted ? { taskIds: wanted } : {}) };
      const taskIds = [...(await clearTasks(services, selection, { dryRun }))];
      if (!dryRun) await audit(database, request, 'dagRun.clear', `${dagId} / ${runId}`, { taskIds });
      return { taskIds };
    },
  );
}

function listPage(client: Queryable, query: { limit: number; cursor?: string | undefined }, filter: DagRunFilter) {
  return paginate(
    query,
    (before: number | null, limit) => listDagRuns(client, filter, before, limit),
    (row) => row.id,
  );
}

const dagParams = z.object({ dagId: z.string() });
const runsPage = pageOf(dagRunSchema);
const filters = { state: runState.optional(), runType: runType.optional(), backfillId: wholeNumber.optional() };
const ofDagQuery = pageQuery(filters);
const listQuery = pageQuery({ dagId: z.string().optional(), ...filters });
const runDetails = dagRunSchema.extend({
  tasks: z.record(z.string(), z.int()).register(components, { description: 'How many, by state.' }),
});
const createBody = optionalBody(
  z.strictObject({
    conf: jsonObject.default({}),
    logicalDate: instant.optional(),
    dedupeKey: z
      .string()
      .min(1)
      .optional()
      .register(components, { description: 'The same key answers the run that has it.' }),
  }),
);
const patchBody = z.strictObject({ state: z.enum(['success', 'failed']) });
const clearBody = optionalBody(
  z.strictObject({
    taskIds: z.array(z.string()).optional().register(components, { description: 'Default: all.' }),
    upstream: z.boolean().default(false),
    downstream: z.boolean().default(false),
    onlyFailed: z.boolean().default(false),
    dryRun: z.boolean().default(false),
  }),
);
