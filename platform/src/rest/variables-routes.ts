import { VariableNotFoundError } from '@windhover/core';
import { z } from 'zod';
import {
  deleteVariable,
  getVariable,
  listVariables,
  putVariable,
  type VariableRow,
  variablePurpose,
} from '../store/variables.ts';
import { type Api, type ApiServices, audit } from './api.ts';
import { pageOf, pageQuery, paginate } from './page.ts';
import { components, deleted, instant, named } from './schemas.ts';
import { isSensitiveName, MASK } from './sensitive.ts';

export function variablesRoutes(api: Api, { database, cipher }: ApiServices): void {
  const tags = ['Variables'];

  api.get(
    '/variables',
    {
      schema: {
        tags,
        summary: 'List variables',
        querystring: pageQuery({}),
        response: { 200: pageOf(variableSchema) },
      },
    },
    async ({ query }) => {
      const page = await paginate(
        query,
        (after: string | null, limit) => listVariables(database, after, limit),
        (row) => row.key,
      );
      return { ...page, items: page.items.map(toVariable) };
    },
  );

  api.get(
    '/variables/:key',
    { schema: { tags, summary: 'A variable', params, response: { 200: variableSchema } } },
    ({ params: { key } }) => variableOrThrow(key),
  );

  api.put(
    '/variables/:key',
    {
      schema: {
        tags,
        summary: 'Create or replace a variable',
        params: newParams,
        body: putBody,
        response: { 200: variableSchema },
      },
    },
    async (request) => {
      const { key } = request.params;
      await database.transaction(async (client) => {
        await putVariable(client, key, cipher.encrypt(request.body.value, variablePurpose(key)));
        await audit(client, request, 'variable.put', key);
      });
      return variableOrThrow(key);
    },
  );

  api.delete(
    '/variables/:key',
    { schema: { tags, summary: 'Delete a variable', params, response: { 204: deleted } } },
    async (request, reply) => {
      const { key } = request.params;
      await database.transaction(async (client) => {
        if (!(await deleteVariable(client, key))) throw new VariableNotFoundError(key);
        await audit(client, request, 'variable.delete', key);
      });
      return reply.code(204).send();
    },
  );

  async function variableOrThrow(key: string): Promise<z.output<typeof variableSchema>> {
    const row = await getVariable(database, key);
    if (!row) throw new VariableNotFoundError(key);
    return toVariable(row);
  }

  function toVariable({ key, value, updatedAt }: VariableRow): z.output<typeof variableSchema> {
    const text = isSensitiveName(key) ? MASK : (cipher.decrypt(value, variablePurpose(key)) as string);
    return { key, value: text, updatedAt };
  }
}

const params = z.object({ key: z.string() });
const newParams = z.object({ key: z.string().min(1).max(250) });
const putBody = z.strictObject({ value: z.string() });

const variableSchema = named(
  'Variable',
  z.object({
    key: z.string(),
    value: z.string().register(components, { description: '*** where its name sounds like a secret.' }),
    updatedAt: instant,
  }),
);
