import { formatTaskInstanceKey } from '@windhover/core';
import { z } from 'zod';
import { clearTasks } from '../dag-runs/clear-tasks.ts';
import { markTasks } from '../dag-runs/mark-tasks.ts';
import { retryTasksNow } from '../dag-runs/retry-tasks.ts';
import { stopTasks } from '../dag-runs/stop-tasks.ts';
import { listAttempts, listTaskInstances } from '../store/task-queries.ts';
import { type Api, type ApiServices, audit } from './api.ts';
import { dagRunOrThrow, taskOrThrow } from './find-or-throw.ts';
import { pageOf, pageQuery, paginate } from './page.ts';
import { changedTasks, runParams } from './runs-schemas.ts';
import { instant, named, optionalBody, storedError } from './schemas.ts';
import { mapIndex, taskInstanceSchema, taskParams, taskQuery, taskState, toTaskInstance } from './tasks-schemas.ts';

const TASK = '/dags/:dagId/runs/:runId/tasks/:taskId';

export function tasksRoutes(api: Api, services: ApiServices): void {
  const { database, versions } = services;
  const tags = ['Tasks'];

  api.get(
    '/dags/:dagId/runs/:runId/tasks',
    {
      schema: {
        tags,
        summary: 'List the tasks of a run',
        params: runParams,
        querystring: listQuery,
        response: { 200: pageOf(taskInstanceSchema) },
      },
    },
    async ({ query, params: { dagId, runId } }) => {
      const run = await dagRunOrThrow(database, dagId, runId);
      await versions.load(database, [run.versionId]);
      const page = await paginate(
        query,
        (after: number | null, limit) => listTaskInstances(database, run.id, query.state ?? null, after, limit),
        (row) => row.id,
      );
      return { ...page, items: page.items.map((row) => toTaskInstance(row, versions)) };
    },
  );

  api.get(
    TASK,
    {
      schema: {
        tags,
        summary: 'A task of a run',
        params: taskParams,
        querystring: taskQuery,
        response: { 200: taskInstanceSchema },
      },
    },
    async ({ query, params }) => {
      const row = await taskOrThrow(services, { ...params, ...query });
      await versions.load(database, [row.versionId]);
      return toTaskInstance(row, versions);
    },
  );

  api.get(
    `${TASK}/attempts`,
    {
      schema: {
        tags,
        summary: 'How a task has ended so far, oldest first',
        params: taskParams,
        querystring: attemptsQuery,
        response: { 200: pageOf(attemptSchema) },
      },
    },
    async ({ query, params }) => {
      const { id } = await taskOrThrow(services, { ...params, mapIndex: query.mapIndex });
      return paginate(
        query,
        (after: number | null, limit) => listAttempts(database, id, after, limit),
        (row) => row.epoch,
      );
    },
  );

  api.patch(
    TASK,
    {
      schema: {
        tags,
        summary: 'Set a task to an end by hand',
        params: taskParams,
        body: patchBody,
        response: { 200: changedTasks },
      },
    },
    async (request) => {
      const { state } = request.body;
      return changed(request, 'task.mark', await markTasks(services, selectionOf(request.params), state), { state });
    },
  );

  api.post(
    `${TASK}/clear`,
    {
      schema: {
        tags,
        summary: 'Run a task, and those below it, again',
        params: taskParams,
        body: clearBody,
        response: { 200: changedTasks },
      },
    },
    async (request) => {
      const { dryRun, ...options } = request.body;
      const taskIds = await clearTasks(services, { ...selectionOf(request.params), ...options }, { dryRun });
      return dryRun ? { taskIds: [...taskIds] } : changed(request, 'task.clear', taskIds);
    },
  );

  api.post(
    `${TASK}/retry`,
    {
      schema: {
        tags,
        summary: 'Do not wait for the delay before the next try',
        params: taskParams,
        response: { 200: changedTasks },
      },
    },
    async (request) => changed(request, 'task.retry', await retryTasksNow(services, selectionOf(request.params))),
  );

  api.post(
    `${TASK}/stop`,
    { schema: { tags, summary: 'Stop a task', params: taskParams, response: { 200: changedTasks } } },
    async (request) => changed(request, 'task.stop', await stopTasks(services, selectionOf(request.params))),
  );

  async function changed(
    request: Parameters<typeof audit>[1] & { readonly params: TaskParams },
    action: string,
    changedIds: readonly string[],
    details: { readonly state?: string } = {},
  ): Promise<{ taskIds: string[] }> {
    const taskIds = [...changedIds];
    const subject = formatTaskInstanceKey({ ...request.params, mapIndex: -1 });
    await audit(database, request, action, subject, { ...details, taskIds });
    return { taskIds };
  }
}

type TaskParams = z.output<typeof taskParams>;

function selectionOf({ dagId, runId, taskId }: TaskParams) {
  return { dagId, runId, taskIds: [taskId] };
}

const listQuery = pageQuery({ state: taskState.optional() });
const attemptsQuery = pageQuery({ mapIndex });
const patchBody = z.strictObject({ state: z.enum(['success', 'failed', 'skipped']) });
const clearBody = optionalBody(
  z.strictObject({
    upstream: z.boolean().default(false),
    downstream: z.boolean().default(true),
    dryRun: z.boolean().default(false),
  }),
);

const attemptSchema = named(
  'Attempt',
  z.object({
    attempt: z.int(),
    tryNumber: z.int(),
    state: taskState,
    reason: z.string().nullable(),
    startedAt: instant.nullable(),
    endedAt: instant,
    runningMs: z.number(),
    deferredMs: z.number(),
    error: storedError.nullable(),
  }),
);
