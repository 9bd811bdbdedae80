import type { Json } from '@windhover/core';

/** One request, as data: it can be stored in a trigger. */
export interface HttpRequest {
  /** Appended to the connection's address: `/jobs`. A whole URL must lead to the same server. */
  readonly endpoint: string;
  /** Default: `GET`. */
  readonly method?: HttpMethod;
  /** The query. Default: none. */
  readonly params?: Readonly<Record<string, string | number | boolean>>;
  /** Besides those of the connection. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body: a text as it is, everything else as JSON. Default: none. */
  readonly data?: Json;
}

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

export interface HttpAnswer {
  readonly status: number;
  /** By their names in lower case; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed where it is JSON, otherwise the text. `any`, as what `fetch` parses: only its reader knows its shape. */
  readonly data: any;
}

/**
 * Whether sending it twice is no more than sending it once: by its method, or because the server is told by an
 * `Idempotency-Key` that it is the same request.
 */
export function isRepeatable({ method = 'GET', headers = {} }: HttpRequest): boolean {
  const hasKey = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
  return hasKey || (method !== 'POST' && method !== 'PATCH');
}
