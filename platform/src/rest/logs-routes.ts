import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, type LogStream, type TaskInstanceKey } from '@windhover/core';
import { z } from 'zod';
import type { Api, ApiServices } from './api.ts';
import { taskOrThrow } from './find-or-throw.ts';
import { InvalidRequestError } from './invalid-request-error.ts';
import { components, flag, json, named, wholeNumber } from './schemas.ts';
import { mapIndex, taskParams } from './tasks-schemas.ts';

export function logsRoutes(api: Api, services: ApiServices): void {
  api.get(
    '/dags/:dagId/runs/:runId/tasks/:taskId/logs',
    {
      schema: {
        tags: ['Logs'],
        summary: 'Read the log of an attempt, or follow it',
        params: taskParams,
        querystring: logsQuery,
        response: { 200: logPage },
      },
    },
    async ({ query, params: { dagId, runId, taskId } }, reply) => {
      const key = { dagId, runId, taskId, mapIndex: query.mapIndex };
      if (!query.follow) return readLog(services, key, query);
      // The response closes when it was sent, or when its client goes away.
      const gone = new AbortController();
      reply.raw.on('close', () => gone.abort());
      const page = await followLog(services, key, query, AbortSignal.any([gone.signal, services.closing]));
      if (services.closing.aborted) reply.header('connection', 'close');
      return page;
    },
  );
}

/** How long a request that follows a log waits for news. */
const FOLLOW_MS = 20_000;
/** A log store does not tell when it grows, so it is asked; and a busy platform tells of too many changes of tasks. */
const LOOK_MS = 250;

const logsQuery = z.strictObject({
  mapIndex,
  attempt: wholeNumber.min(1).optional().register(components, { description: 'Default: the latest.' }),
  cursor: z.string().optional().register(components, { description: 'The cursor of the page before.' }),
  limit: wholeNumber.min(1).max(10_000).default(1000),
  follow: flag.prefault('false').register(components, {
    description: 'Waits up to 20 s until there are records after the cursor, or the attempt is over.',
  }),
});

type LogsQuery = z.output<typeof logsQuery>;

const logPage = named(
  'LogPage',
  z.object({
    records: z.array(
      z.object({
        at: z.string(),
        level: z.enum(['debug', 'info', 'warning', 'error']),
        message: z.string(),
        fields: z.record(z.string(), json).optional(),
      }),
    ),
    cursor: z.string(),
    attempt: z.int(),
    isOver: z.boolean().register(components, { description: 'Whether nothing comes after these records.' }),
  }),
);

/** Answers at once if there is something to say; else when there is, when the time is up, or when `signal` aborts. */
async function followLog(
  services: ApiServices,
  key: TaskInstanceKey,
  query: LogsQuery,
  signal: AbortSignal,
): Promise<z.output<typeof logPage>> {
  const giveUpAt = performance.now() + FOLLOW_MS;
  for (;;) {
    const page = await readLog(services, key, query);
    if (page.records.length > 0 || page.isOver || signal.aborted || performance.now() >= giveUpAt) return page;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

async function readLog(
  services: ApiServices,
  key: TaskInstanceKey,
  { attempt: wanted, cursor, limit }: LogsQuery,
): Promise<z.output<typeof logPage>> {
  // The task first, the log second: an attempt that is over has told everything before it ended.
  const task = await taskOrThrow(services, key);
  const attempt = wanted ?? task.attempt;
  if (attempt > task.attempt) {
    throw new InvalidRequestError([{ path: 'attempt', message: `there have been ${task.attempt} so far` }]);
  }
  const hasEnded = attempt < task.attempt || isTerminal(task.state) || task.state === 'up_for_retry';
  const stream: LogStream = { type: 'task', ...key, attempt };
  const page = await services.logStore.read(stream, { limit, ...(cursor === undefined ? {} : { cursor }) });
  return { ...page, records: [...page.records], attempt, isOver: hasEnded && page.records.length < limit };
}
