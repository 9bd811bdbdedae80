import { STATUS_CODES } from 'node:http';
import swagger from '@fastify/swagger';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { PROBLEM_TYPE } from '../execution-api/problem.ts';
import type { Api } from './api.ts';
import { components, problemSchema } from './schemas.ts';
import type { Route } from './unknown-route.ts';

/** Describes the routes that are added to `api` from here on, and answers a list that grows with them. */
export function describeRoutes(api: Api, version: string): readonly Route[] {
  const routes: Route[] = [];
  api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Windhover',
        description: 'The REST API of the platform: DAGs, their runs and tasks, and what they need.',
        version,
      },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    transform: createJsonSchemaTransform({ schemaRegistry: components }),
    transformObject: (document) => polish(toDocument(document) as Document) as ReturnType<typeof toDocument>,
  });
  api.addHook('onRoute', (route) => {
    routes.push({ method: String(route.method), url: route.url });
    const { response, ...schema } = (route.schema ?? {}) as { response?: object };
    route.schema = {
      ...schema,
      ...(route.config?.isPublic ? { security: [] } : {}),
      response: { ...response, default: problem },
    };
  });
  return routes;
}

/** Its route; not described itself. */
export function openApiRoutes(api: Api): void {
  api.get('/openapi.json', { config: { isPublic: true }, schema: { hide: true } }, async () => api.swagger());
}

const toDocument = createJsonSchemaTransformObject({ schemaRegistry: components });

const problem = {
  description: 'What went wrong.',
  content: { [PROBLEM_TYPE]: { schema: problemSchema } },
};

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

interface Operation {
  readonly responses: Readonly<Record<string, { description: string }>>;
}

/**
 * The library describes each named schema twice, as what is sent too, and says that an answer has no other fields: a
 * later version may well add some.
 */
function polish(document: Document): Document {
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (response.description === 'Default Response') response.description = STATUS_CODES[status] ?? status;
    }
  }
  const answers = Object.entries(document.components.schemas).filter(([name]) => !name.endsWith('Input'));
  const isClosed = (key: string, value: unknown) => key === 'additionalProperties' && value === false;
  const schemas = JSON.parse(JSON.stringify(Object.fromEntries(answers)), (key, value) =>
    isClosed(key, value) ? undefined : value,
  );
  return { ...document, components: { ...document.components, schemas } };
}
