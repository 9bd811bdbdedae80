import type { Request } from './access.ts';
import { ApiStatus } from './api-status.ts';
import { RESOURCES } from './kube-object.ts';

export interface Route extends Request {
  readonly query: URLSearchParams;
}

/** Reads `/api/v1/namespaces/x/pods/y/log` and `/apis/<group>/<version>/…`. */
export function parseRoute(method: string, url: string): Route {
  const { pathname, searchParams: query } = new URL(url, 'http://server');
  const parts = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const [group, rest] = parts[0] === 'apis' ? [parts[1], parts.slice(3)] : ['', parts.slice(2)];
  const isInside = rest[0] === 'namespaces' && rest.length > 2;
  const [namespace, [plural, name = null, subresource = null]] = isInside
    ? [rest[1]!, rest.slice(2)]
    : [null, rest as (string | undefined)[]];
  const type = RESOURCES.find((one) => one.group === group && one.plural === plural);
  if (!type) throw new ApiStatus(404, 'NotFound', `the server could not find the requested resource ${pathname}`);
  return { verb: verbOf(method, name, query), type, subresource, namespace, name, query };
}

function verbOf(method: string, name: string | null, query: URLSearchParams): string {
  switch (method) {
    case 'GET':
      return name !== null ? 'get' : query.get('watch') === 'true' ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    default:
      return 'delete';
  }
}
