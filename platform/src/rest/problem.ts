import { STATUS_CODES } from 'node:http';
import { type Logger, WindhoverError } from '@windhover/core';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { PROBLEM_TYPE } from '../execution-api/problem.ts';
import { InvalidRequestError, type RequestMistake } from './invalid-request-error.ts';
import { nearest } from './nearest.ts';

/** RFC 9457. Beside these fields it has the facts of its error, such as `dagId`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
}

/** The error handler of the server: every error leaves it as `application/problem+json`. */
export function createErrorHandler(log: Logger) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const problem = problemOf(error, request);
    if (problem.status >= 500) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log.error(`${request.method} ${pathOf(request)} failed, request ${request.id}: ${text}`);
    }
    if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
    void reply.code(problem.status).type(PROBLEM_TYPE).send(problem);
  };
}

/** Without its query, which may hold what nobody should read in a log. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!;
}

function problemOf(error: unknown, request: FastifyRequest): Problem {
  if (hasZodFastifySchemaValidationErrors(error)) return ofWindhoverError(invalidRequest(error, request), 422);
  if (WindhoverError.isWindhoverError(error)) {
    const status = statusOf(error.code);
    if (status < 500) return ofWindhoverError(error, status);
  }
  if (BAD_VALUES.has((error as { code?: string }).code ?? '')) {
    return problem(422, 'E_REQUEST', 'A value cannot be stored: it is out of range, or has a NUL character.');
  }
  // Fastify's own: a body that is no JSON, is too large, or of another type.
  const { statusCode = 500, message } = error as Partial<FastifyError>;
  if (statusCode >= 400 && statusCode < 500) return problem(statusCode, 'E_REQUEST', message ?? '');
  return problem(500, 'E_INTERNAL', `The server failed. Its log says why, at request ${request.id}.`, {
    requestId: request.id,
  });
}

/** PostgreSQL's codes for values that no schema here forbids, but that the database cannot hold. */
const BAD_VALUES: ReadonlySet<string> = new Set(['22003', '22007', '22008', '22021', '22P02', '22P05']);

/** Codes of errors that a client can do something about; what is not here is the server's own failure. */
const STATUS: Readonly<Record<string, number>> = {
  E_TOKEN: 401,
  E_TOKEN_SCOPE: 403,
  E_BACKFILL: 409,
  E_DAG_RUN_EXISTS: 409,
  E_INVALID_TRANSITION: 409,
  E_POOL_PROTECTED: 409,
  E_CONNECTION_URI: 422,
  E_PARAM: 422,
  E_REQUEST: 422,
};

function statusOf(code: string): number {
  return STATUS[code] ?? (code.endsWith('_NOT_FOUND') ? 404 : 500);
}

/** The fields of the error's class are its facts. */
function ofWindhoverError(error: WindhoverError, status: number): Problem {
  const { name: _name, code, isRetryable: _isRetryable, cause: _cause, ...facts } = { cause: undefined, ...error };
  return problem(status, code, error.message, facts);
}

function problem(status: number, code: string, detail: string, facts: object = {}): Problem {
  const title = STATUS_CODES[status] ?? 'Error';
  return { ...facts, type: `urn:windhover:error:${code}`, title, status, detail, code };
}

interface Validation {
  readonly validation: readonly {
    readonly keyword: string;
    readonly instancePath: string;
    readonly message?: string;
    readonly params: Readonly<Record<string, unknown>>;
  }[];
  readonly validationContext?: string | undefined;
}

function invalidRequest({ validation, validationContext }: Validation, request: FastifyRequest): InvalidRequestError {
  const known = knownFields(request, validationContext);
  return new InvalidRequestError(
    validation.flatMap(({ keyword, instancePath, message = 'is wrong', params }): RequestMistake[] => {
      const path = instancePath.split('/').filter(Boolean).join('.');
      if (keyword !== 'unrecognized_keys') return [{ path: path || (validationContext ?? ''), message }];
      return (params.keys as string[]).map((key) => {
        const near = nearest(key, known);
        const hint = near ? `did you mean "${near}"?` : `it takes ${known.join(', ') || 'nothing'}`;
        return { path: path ? `${path}.${key}` : key, message: `is not known here; ${hint}` };
      });
    }),
  );
}

/** The names that the body or the query of this route may have. */
function knownFields(request: FastifyRequest, context = ''): string[] {
  const schema = (request.routeOptions.schema as Record<string, Shaped> | undefined)?.[context];
  return Object.keys(schema?.shape ?? schema?.def?.out?.shape ?? {});
}

/** A zod object, or one behind a `preprocess`. */
interface Shaped {
  readonly shape?: object;
  readonly def?: { readonly out?: { readonly shape?: object } };
}
