import { z } from 'zod';
import { deletePool, getPool, listPools, type PoolUse, putPool } from '../store/pools.ts';
import { type Api, type ApiServices, audit } from './api.ts';
import { pageOf, pageQuery, paginate } from './page.ts';
import { PoolNotFoundError } from './pool-not-found-error.ts';
import { PoolProtectedError } from './pool-protected-error.ts';
import { components, deleted, id, named } from './schemas.ts';

export function poolsRoutes(api: Api, { database }: ApiServices): void {
  const tags = ['Pools'];

  api.get(
    '/pools',
    { schema: { tags, summary: 'List pools', querystring: pageQuery({}), response: { 200: pageOf(poolSchema) } } },
    ({ query }) =>
      paginate(
        query,
        (after: string | null, limit) => listPools(database, after, limit),
        (row) => row.name,
      ),
  );

  api.get(
    '/pools/:name',
    { schema: { tags, summary: 'A pool', params, response: { 200: poolSchema } } },
    ({ params: { name } }) => poolOrThrow(name),
  );

  api.put(
    '/pools/:name',
    {
      schema: {
        tags,
        summary: 'Create or replace a pool',
        params: newParams,
        body: putBody,
        response: { 200: poolSchema },
      },
    },
    async (request) => {
      const { name } = request.params;
      await database.transaction(async (client) => {
        await putPool(client, { name, ...request.body });
        await audit(client, request, 'pool.put', name, request.body);
      });
      return poolOrThrow(name);
    },
  );

  api.delete(
    '/pools/:name',
    { schema: { tags, summary: 'Delete a pool', params, response: { 204: deleted } } },
    async (request, reply) => {
      const { name } = request.params;
      if (name === DEFAULT_POOL) throw new PoolProtectedError(name);
      await database.transaction(async (client) => {
        if (!(await deletePool(client, name))) throw new PoolNotFoundError(name);
        await audit(client, request, 'pool.delete', name);
      });
      return reply.code(204).send();
    },
  );

  async function poolOrThrow(name: string): Promise<PoolUse> {
    const pool = await getPool(database, name);
    if (!pool) throw new PoolNotFoundError(name);
    return pool;
  }
}

/** Where tasks run that name no pool. */
const DEFAULT_POOL = 'default_pool';

const params = z.object({ name: z.string() });
const newParams = z.object({ name: id });
const slots = z.int().min(-1).register(components, { description: '−1: no limit. 0: nothing runs there.' });
const putBody = z.strictObject({
  slots,
  includeDeferred: z
    .boolean()
    .default(false)
    .register(components, { description: 'Whether deferred tasks hold their slots.' }),
  description: z.string().default(''),
});

const poolSchema = named(
  'Pool',
  z.object({
    name: z.string(),
    slots,
    includeDeferred: z.boolean(),
    description: z.string(),
    occupiedSlots: z.int(),
    deferredTasks: z.int(),
  }),
);
