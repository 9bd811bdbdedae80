import type { FastifyRequest } from 'fastify';
import { nearest } from './nearest.ts';
import { pathOf } from './problem.ts';
import { RouteNotFoundError } from './route-not-found-error.ts';

/** A route as fastify has it: `GET`, `/api/v1/dags/:dagId`. */
export interface Route {
  readonly method: string;
  readonly url: string;
}

/** Names the nearest route, be it that the path is misspelt or the method another. */
export function unknownRoute(request: FastifyRequest, routes: readonly Route[]): RouteNotFoundError {
  const path = pathOf(request);
  const asked = `${request.method} ${path}`;
  // Its parameters are filled with what was asked for, so that only the words of a route are compared.
  const byFilled = new Map(routes.map((route) => [`${route.method} ${fill(route.url, path)}`, route]));
  const found = byFilled.get(nearest(asked, byFilled.keys()) ?? '');
  return new RouteNotFoundError(asked, found && `${found.method} ${toTemplate(found.url)}`);
}

/** `/dags/:dagId` → `/dags/{dagId}`, as OpenAPI writes it. */
export function toTemplate(url: string): string {
  return url.replace(/:(\w+)/g, '{$1}');
}

function fill(url: string, path: string): string {
  const asked = path.split('/');
  return url
    .split('/')
    .map((part, index) => (part.startsWith(':') ? (asked[index] ?? part) : part))
    .join('/');
}
