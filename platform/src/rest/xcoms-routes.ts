import { z } from 'zod';
import { getXComRow, listXComs } from '../store/task-queries.ts';
import type { Api, ApiServices } from './api.ts';
import { taskOrThrow } from './find-or-throw.ts';
import { pageOf, pageQuery, paginate } from './page.ts';
import { components, instant, json, named } from './schemas.ts';
import { mapIndex, taskParams, taskQuery } from './tasks-schemas.ts';
import { XComNotFoundError } from './xcom-not-found-error.ts';

export function xcomsRoutes(api: Api, services: ApiServices): void {
  const { database } = services;
  const tags = ['XComs'];

  api.get(
    '/dags/:dagId/runs/:runId/tasks/:taskId/xcoms',
    {
      schema: {
        tags,
        summary: 'List what a task has passed on',
        params: taskParams,
        querystring: pageQuery({ mapIndex }),
        response: { 200: pageOf(xcomSchema) },
      },
    },
    async ({ query, params }) => {
      const task = await taskOrThrow(services, { ...params, mapIndex: query.mapIndex });
      return paginate(
        query,
        (after: string | null, limit) => listXComs(database, task, after, limit),
        (row) => row.key,
      );
    },
  );

  api.get(
    '/dags/:dagId/runs/:runId/tasks/:taskId/xcoms/:key',
    {
      schema: {
        tags,
        summary: 'One value that a task has passed on',
        params: taskParams.extend({ key: z.string() }),
        querystring: taskQuery,
        response: { 200: xcomSchema },
      },
    },
    async ({ query, params: { key, ...place } }) => {
      const task = await taskOrThrow(services, { ...place, ...query });
      const xcom = await getXComRow(database, task, key);
      if (!xcom) throw new XComNotFoundError(task, key);
      return xcom;
    },
  );
}

const xcomSchema = named(
  'XCom',
  z.object({
    key: z.string(),
    value: json.register(components, { description: 'Null where a reference stands for it.' }),
    reference: json.register(components, {
      description: 'What the project’s XCom backend gave for it; null where the value is here.',
    }),
    attempt: z.int(),
    createdAt: instant,
  }),
);
