import { ApiError, type Problem } from './api-error.ts';
import { ApiUnreachableError } from './api-unreachable-error.ts';
import type { ServerAddress } from './locate-server.ts';
import { UnexpectedAnswerError } from './unexpected-answer-error.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** What the API gives at once. */
const MAX_PAGE = 1_000;

/** A page of a collection. */
interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Calls the REST API. Throws `ApiError`, `ApiUnreachableError` or `UnexpectedAnswerError`. */
export class ApiClient {
  readonly #server: ServerAddress;

  constructor(server: ServerAddress) {
    this.#server = server;
  }

  /** `signal` gives up waiting. `accept` names statuses that are answers here and no errors. */
  get<T>(path: string, query: Query = {}, options: RequestOptions = {}): Promise<T> {
    return this.#request<T>('GET', path, { query, ...options });
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.#request<T>('POST', path, { body });
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.#request<T>('PUT', path, { body });
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.#request<T>('PATCH', path, { body });
  }

  async delete(path: string): Promise<void> {
    await this.#request('DELETE', path, {});
  }

  /** The items of a collection, over as many pages as are needed. */
  async *list<T>(path: string, query: Query = {}, options: RequestOptions = {}): AsyncGenerator<T, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.get<Page<T>>(path, { ...query, cursor }, options);
      yield* page.items;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** A whole collection. */
  async all<T>(path: string, query: Query = {}, options: RequestOptions = {}): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this.list<T>(path, { limit: MAX_PAGE, ...query }, options)) items.push(item);
    return items;
  }

  /** The first `limit` items, and whether there are more. */
  async first<T>(limit: number, path: string, query: Query = {}): Promise<{ items: T[]; hasMore: boolean }> {
    const items: T[] = [];
    for await (const item of this.list<T>(path, { limit: Math.min(limit + 1, MAX_PAGE), ...query })) {
      if (items.length === limit) return { items, hasMore: true };
      items.push(item);
    }
    return { items, hasMore: false };
  }

  async #request<T>(method: string, path: string, { query = {}, body, signal, accept = [] }: Request): Promise<T> {
    const url = new URL(`${this.#server.url}/api/v1${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { accept: 'application/json, application/problem+json' };
    if (this.#server.token !== null) headers.authorization = `Bearer ${this.#server.token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    let response: Response;
    let content: string;
    try {
      response = await fetch(url, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
      });
      content = await response.text();
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiUnreachableError(this.#server.url, this.#unreachable(error), { cause: error });
    }
    return this.#read<T>(response, content, accept);
  }

  #read<T>(response: Response, content: string, accept: readonly number[]): T {
    const contentType = response.headers.get('content-type');
    const isJson = /[/+]json\b/.test(contentType ?? '');
    if (response.ok && content === '') return undefined as T;
    if (!isJson) throw new UnexpectedAnswerError(response.url, response.status, contentType);
    let answer: unknown;
    try {
      answer = JSON.parse(content);
    } catch (error) {
      throw new UnexpectedAnswerError(response.url, response.status, contentType, { cause: error });
    }
    if (response.ok || accept.includes(response.status)) return answer as T;
    throw new ApiError(response.status, answer as Problem);
  }

  #unreachable(error: unknown): string {
    const reason = reasonOf(error);
    return `Cannot reach the server at ${this.#server.url} (${this.#server.source}): ${reason}.`;
  }
}

interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly accept?: readonly number[];
}

interface Request extends RequestOptions {
  readonly query?: Query;
  readonly body?: unknown;
}

/** `fetch failed` says nothing; what happened is in its cause. */
function reasonOf(error: unknown): string {
  const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
  if (cause?.code === 'ECONNREFUSED') return 'nothing listens there';
  return cause?.message || cause?.code || (error as Error).message;
}
