import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Tokens } from '../execution-api/tokens.ts';
import type { Api, ApiServices } from './api.ts';
import { auditRoutes } from './audit-routes.ts';
import { requireToken } from './auth.ts';
import { backfillsRoutes } from './backfills-routes.ts';
import { connectionTestRoutes } from './connection-test-routes.ts';
import { connectionsRoutes } from './connections-routes.ts';
import { dagsRoutes } from './dags-routes.ts';
import { explainRoutes } from './explain-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { importErrorsRoutes } from './import-errors-routes.ts';
import { jobsRoutes } from './jobs-routes.ts';
import { logsRoutes } from './logs-routes.ts';
import { metricsRoutes } from './metrics.ts';
import { describeRoutes, openApiRoutes } from './openapi.ts';
import { poolsRoutes } from './pools-routes.ts';
import { createErrorHandler, pathOf } from './problem.ts';
import { runsRoutes } from './runs-routes.ts';
import { tasksRoutes } from './tasks-routes.ts';
import { unknownRoute } from './unknown-route.ts';
import { variablesRoutes } from './variables-routes.ts';
import { xcomsRoutes } from './xcoms-routes.ts';

export interface ApiServerOptions extends Omit<ApiServices, 'closing' | 'connectionTypes'> {
  readonly tokens: Tokens;
  /** By connection type: the classpath of its hook, from the providers' manifests. Default: none. */
  readonly connectionTypes?: ReadonlyMap<string, string>;
  /** Served beside the REST API. Default: nothing. */
  readonly executionApi?: FastifyPluginAsync;
}

/**
 * The REST API under `/api/v1`, its description at `/api/v1/openapi.json`, and `/metrics`. Begins to listen with
 * `listenOrThrow`. Closing it answers whoever waits in a long poll.
 */
export function createApiServer(options: ApiServerOptions): FastifyInstance {
  const { log, tokens, version, executionApi, connectionTypes = new Map() } = options;
  const closing = new AbortController();
  const services: ApiServices = { ...options, connectionTypes, closing: closing.signal };
  const handleError = createErrorHandler(log);
  const server = Fastify({
    frameworkErrors: handleError,
    genReqId: () => randomUUID(),
    exposeHeadRoutes: false,
    // Ids have up to 250 characters, and percent-encoding makes three of one.
    routerOptions: { maxParamLength: 1000 },
  });
  server.setErrorHandler(handleError);
  server.addHook('preClose', async () => closing.abort());
  server.addHook('onResponse', async (request, { statusCode, elapsedTime }) => {
    log.debug(`${request.method} ${pathOf(request)} ${statusCode} in ${Math.round(elapsedTime)} ms`);
  });
  server.register(async (scope) => {
    const rest = scope.withTypeProvider<ZodTypeProvider>();
    rest.setValidatorCompiler(validatorCompiler);
    rest.setSerializerCompiler(serializerCompiler);
    const routes = describeRoutes(rest, version);
    server.setNotFoundHandler((request) => {
      throw unknownRoute(request, routes);
    });
    await rest.after();
    metricsRoutes(rest, services);
    await rest.register(
      async (api) => {
        requireToken(api as Api, tokens);
        for (const addRoutes of ROUTES) addRoutes(api as Api, services);
      },
      { prefix: '/api/v1' },
    );
  });
  if (executionApi) server.register(executionApi);
  return server;
}

const ROUTES: readonly ((api: Api, services: ApiServices) => void)[] = [
  dagsRoutes,
  importErrorsRoutes,
  runsRoutes,
  tasksRoutes,
  explainRoutes,
  logsRoutes,
  xcomsRoutes,
  poolsRoutes,
  connectionsRoutes,
  connectionTestRoutes,
  variablesRoutes,
  backfillsRoutes,
  jobsRoutes,
  auditRoutes,
  healthRoutes,
  openApiRoutes,
];
