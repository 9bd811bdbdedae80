import {
  type DagApi,
  type HeartbeatAnswer,
  type Logger,
  type StartedCallback,
  type StartedTask,
  type TaskApi,
  type TaskHandOff,
  type TriggerApi,
  WindhoverError,
} from '@windhover/core';
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { bearerToken } from './bearer-token.ts';
import {
  DAG_METHODS,
  type ExecutionMethod,
  type ExecutionMethods,
  TASK_METHODS,
  TRIGGER_METHODS,
} from './execution-methods.ts';
import { InvalidCallError } from './invalid-call-error.ts';
import { PROBLEM_TYPE, toProblem } from './problem.ts';
import type { TokenScope } from './token-scope.ts';
import type { Tokens } from './tokens.ts';

export interface ExecutionRoutesOptions {
  readonly taskApi: TaskApi;
  readonly triggerApi: TriggerApi;
  readonly dagApi: DagApi;
  readonly tokens: Tokens;
  readonly log: Logger;
}

/**
 * Serves the three roles of the ExecutionApi as `POST /execution/v1/{task|trigger|dag}/{method}`: the body is a JSON
 * array of the arguments, the answer is the result as JSON, an error is `application/problem+json`.
 */
export async function executionRoutes(app: FastifyInstance, options: ExecutionRoutesOptions): Promise<void> {
  const { tokens, log } = options;
  const scopes = new WeakMap<object, TokenScope>();
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());

  // Before the body is read: a stranger's is not.
  app.addHook('onRequest', async (request) => {
    scopes.set(request, await tokens.verify(bearerToken(request.headers.authorization)));
  });

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = toProblem(toCallError(error), request.id);
    if (problem.status >= 500) log.error(`${request.url} failed, request ${request.id}: ${error.stack ?? error}`);
    return reply.code(problem.status).type(PROBLEM_TYPE).send(problem);
  });

  const serve = <Api extends object>(role: string, methods: ExecutionMethods<Api>, api: Api): void => {
    for (const [name, method] of Object.entries<ExecutionMethod>(methods)) {
      app.post(`/execution/v1/${role}/${name}`, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
        const args = toArguments(method, request.body);
        method.allow(scopes.get(request)!, args);
        // Named by the table, never by the caller.
        const implementation = api as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
        const answer = method.isLongPoll
          ? await implementation[name]!(...padded(args, method.maxArguments), callerGone(reply, closing.signal))
          : await implementation[name]!(...args);
        return reply.type('application/json').send(JSON.stringify(answer ?? null));
      });
    }
  };
  serve('task', TASK_METHODS, withTokens(options.taskApi, tokens));
  serve('trigger', TRIGGER_METHODS, options.triggerApi);
  serve('dag', DAG_METHODS, options.dagApi);
  app.all('/execution/v1/*', ({ method, url }) => {
    throw new InvalidCallError(404, `there is no ${method} ${url}. Do worker and platform run the same version?`);
  });
}

/** The largest call is a log or a DAG file; larger XComs go to a backend of their own. */
const BODY_LIMIT_BYTES = 32 * 2 ** 20;

/** Who came over HTTP gets its tokens here; over IPC nobody would check them. */
function withTokens(taskApi: TaskApi, tokens: Tokens): TaskApi {
  const own: Pick<TaskApi, 'start' | 'heartbeat' | 'startCallback'> = {
    async start(handOff, worker): Promise<StartedTask> {
      return { ...(await taskApi.start(handOff, worker)), token: await tokens.issue(executionScope(handOff)) };
    },
    async heartbeat(handOff, ...rest): Promise<HeartbeatAnswer> {
      const answer = await taskApi.heartbeat(handOff, ...rest);
      return answer.action === 'stop' ? answer : { ...answer, token: await tokens.issue(executionScope(handOff)) };
    },
    async startCallback(callbackId): Promise<StartedCallback | null> {
      const started = await taskApi.startCallback(callbackId);
      return started && { ...started, token: await tokens.issue({ type: 'callback', callbackId }) };
    },
  };
  return new Proxy(taskApi, {
    get(target, name: keyof TaskApi) {
      return name in own ? own[name as keyof typeof own] : target[name].bind(target);
    },
  });
}

function executionScope({ taskInstanceId, epoch }: TaskHandOff): TokenScope {
  return { type: 'execution', taskInstanceId, epoch };
}

function toArguments({ maxArguments }: ExecutionMethod, body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) throw new InvalidCallError(400, 'its body must be a JSON array of the arguments.');
  if (body.length > maxArguments)
    throw new InvalidCallError(400, `it takes ${maxArguments} arguments and got ${body.length}.`);
  return body;
}

/** Missing arguments keep their defaults. */
function padded(args: readonly unknown[], length: number): unknown[] {
  return Array.from({ length }, (_, index) => args[index]);
}

/** Aborts when the connection ends before the answer is sent, or when the server closes. */
function callerGone(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, closing]);
}

/** Fastify's own errors: a body that is no JSON, or too large. */
function toCallError(error: FastifyError): unknown {
  if (WindhoverError.isWindhoverError(error)) return error;
  const { statusCode = 500, message } = error;
  if (statusCode === 413)
    return new InvalidCallError(413, `its body has more than ${BODY_LIMIT_BYTES} bytes. Send less at once.`);
  return statusCode < 500 ? new InvalidCallError(statusCode, message) : error;
}
