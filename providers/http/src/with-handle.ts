import type { Json } from '@windhover/core';
import type { HttpRequest } from './http-request.ts';

const PLACE = '{handle}';

/**
 * Puts the handle of a job where a request says `{handle}`: in the endpoint, the query and the body. An endpoint that is
 * nothing but `{handle}` is the handle itself, for services that answer with the job's URL.
 */
export function withHandle(request: HttpRequest, handle: string): HttpRequest {
  const { endpoint, params, data } = request;
  return {
    ...request,
    endpoint: endpoint === PLACE ? handle : endpoint.replaceAll(PLACE, encodeURIComponent(handle)),
    ...(params && { params: filled(params, handle) as typeof params }),
    ...(data !== undefined && { data: filled(data, handle) }),
  };
}

function filled(value: Json, handle: string): Json {
  if (typeof value === 'string') return value.replaceAll(PLACE, handle);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => filled(item, handle));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item as Json, handle)]));
}
