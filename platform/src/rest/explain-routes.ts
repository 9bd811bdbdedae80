import { z } from 'zod';
import type { Api, ApiServices } from './api.ts';
import { explainTask } from './explain-task.ts';
import { components, jsonObject, named } from './schemas.ts';
import { readTaskSituation } from './task-situation.ts';
import { taskParams, taskQuery, taskState } from './tasks-schemas.ts';

export function explainRoutes(api: Api, services: ApiServices): void {
  api.get(
    '/dags/:dagId/runs/:runId/tasks/:taskId/explain',
    {
      schema: {
        tags: ['Tasks'],
        summary: 'Why a task is where it is, and what comes next',
        params: taskParams,
        querystring: taskQuery,
        response: { 200: explanation },
      },
    },
    async ({ params, query }) => explainTask(await readTaskSituation(services, { ...params, ...query })),
  );
}

const explanation = named(
  'Explanation',
  z.object({
    state: taskState,
    lines: z.array(z.string()).register(components, { description: 'Sentences for a person.' }),
    facts: jsonObject,
  }),
);
