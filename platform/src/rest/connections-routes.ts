import { Connection, ConnectionNotFoundError, type Json } from '@windhover/core';
import { z } from 'zod';
import {
  type ConnectionRow,
  connectionPurpose,
  deleteConnection,
  getConnection,
  listConnections,
  putConnection,
} from '../store/connections.ts';
import { type Api, type ApiServices, audit } from './api.ts';
import { pageOf, pageQuery, paginate } from './page.ts';
import { components, deleted, id, instant, jsonObject, named } from './schemas.ts';
import { maskSecrets } from './sensitive.ts';

export function connectionsRoutes(api: Api, { database, cipher }: ApiServices): void {
  const tags = ['Connections'];

  api.get(
    '/connections',
    {
      schema: {
        tags,
        summary: 'List stored connections, without their secrets',
        querystring: pageQuery({}),
        response: { 200: pageOf(connectionSchema) },
      },
    },
    async ({ query }) => {
      const page = await paginate(
        query,
        (after: string | null, limit) => listConnections(database, after, limit),
        (row) => row.connId,
      );
      return { ...page, items: page.items.map(toView) };
    },
  );

  api.get(
    '/connections/:connId',
    { schema: { tags, summary: 'A connection, without its secrets', params, response: { 200: connectionSchema } } },
    ({ params: { connId } }) => connectionOrThrow(connId),
  );

  api.put(
    '/connections/:connId',
    {
      schema: {
        tags,
        summary: 'Create or replace a connection',
        params: newParams,
        body: putBody,
        response: { 200: connectionSchema },
      },
    },
    async (request) => {
      const { connId } = request.params;
      const { connType, fields } = toFields(connId, request.body);
      await database.transaction(async (client) => {
        await putConnection(client, connId, connType, cipher.encrypt(fields, connectionPurpose(connId)));
        await audit(client, request, 'connection.put', connId, { connType });
      });
      return connectionOrThrow(connId);
    },
  );

  api.delete(
    '/connections/:connId',
    { schema: { tags, summary: 'Delete a connection', params, response: { 204: deleted } } },
    async (request, reply) => {
      const { connId } = request.params;
      await database.transaction(async (client) => {
        if (!(await deleteConnection(client, connId))) throw new ConnectionNotFoundError(connId);
        await audit(client, request, 'connection.delete', connId);
      });
      return reply.code(204).send();
    },
  );

  async function connectionOrThrow(connId: string): Promise<ConnectionView> {
    const row = await getConnection(database, connId);
    if (!row) throw new ConnectionNotFoundError(connId);
    return toView(row);
  }

  function toView({ connId, fields: sealed, updatedAt }: ConnectionRow): ConnectionView {
    const fields = cipher.decrypt(sealed, connectionPurpose(connId)) as unknown as StoredConnection;
    return {
      connId,
      connType: fields.connType,
      description: fields.description ?? '',
      host: fields.host ?? null,
      port: fields.port ?? null,
      login: fields.login ?? null,
      schema: fields.schema ?? null,
      extra: maskSecrets(fields.extra ?? {}) as Record<string, Json>,
      hasPassword: fields.password !== undefined,
      updatedAt,
    };
  }
}

const params = z.object({ connId: z.string() });
const newParams = z.object({ connId: id });

const putBody = z
  .strictObject({
    uri: z.string().optional().register(components, {
      description: 'type://login:password@host:port/schema?key=value, instead of the fields.',
    }),
    connType: z.string().min(1).optional(),
    host: z.string().optional(),
    port: z.int().min(0).max(65_535).optional(),
    login: z.string().optional(),
    password: z.string().optional(),
    schema: z.string().optional(),
    extra: jsonObject.optional(),
    description: z.string().optional(),
  })
  .superRefine(({ uri, description: _description, ...fields }, context) => {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    if (uri === undefined && fields.connType === undefined) {
      context.addIssue({ code: 'custom', path: ['connType'], message: 'is missing; give it, or a uri' });
    }
    if (uri === undefined) return;
    for (const [name] of given) {
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'cannot be given beside a uri, which says it already',
      });
    }
  });

type PutBody = z.output<typeof putBody>;
type StoredConnection = Omit<PutBody, 'uri' | 'connType' | 'extra'> & {
  readonly connType: string;
  readonly extra?: Readonly<Record<string, Json>>;
};
type ConnectionView = z.output<typeof connectionSchema>;

const connectionSchema = named(
  'Connection',
  z.object({
    connId: z.string(),
    connType: z.string(),
    description: z.string(),
    host: z.string().nullable(),
    port: z.int().nullable(),
    login: z.string().nullable(),
    schema: z.string().nullable(),
    extra: jsonObject.register(components, { description: 'With *** in place of secrets.' }),
    hasPassword: z.boolean(),
    updatedAt: instant,
  }),
);

/** The description is kept with the fields; whoever uses the connection does not see it. */
function toFields(connId: string, body: PutBody): { connType: string; fields: Json } {
  const { uri, description, ...given } = body;
  const connection =
    uri === undefined
      ? new Connection(connId, {
          ...given,
          connType: given.connType!,
          extra: given.extra as Record<string, Json> | undefined,
        })
      : Connection.fromUri(connId, uri);
  const fields = { ...connection.toFields(), ...(description ? { description } : {}) };
  return { connType: connection.connType, fields: fields as unknown as Json };
}
