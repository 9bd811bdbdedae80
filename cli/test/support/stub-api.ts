import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubRequest {
  readonly method: string;
  /** Below /api/v1, decoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: any;
}

export type Answer = { readonly status?: number; readonly body?: unknown; readonly contentType?: string } | 'hang up';

type Handler = (request: StubRequest) => Answer | Promise<Answer>;

/** A real HTTP server that speaks as much of the REST contract as a test tells it. Newer routes go before older ones. */
export class StubApi {
  readonly token = 'right-token';
  readonly requests: StubRequest[] = [];
  readonly #routes: { readonly key: string; readonly handler: Handler }[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<StubApi> {
    const stub = new StubApi();
    await new Promise<void>((resolve) => stub.#server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  on(method: string, path: string, handler: Handler): this {
    this.#routes.unshift({ key: `${method} ${path}`, handler });
    return this;
  }

  /** A resource that is always the same. */
  has(path: string, body: unknown): this {
    return this.on('GET', path, () => ({ body }));
  }

  /** A collection, given two items a page, so that a client that reads one page only is found out. */
  lists(path: string, items: readonly unknown[]): this {
    return this.on('GET', path, ({ query }) => {
      const start = Number(query.cursor ?? 0);
      const end = start + Math.min(2, Number(query.limit ?? 100));
      return { body: { items: items.slice(start, end), nextCursor: end < items.length ? String(end) : null } };
    });
  }

  /** The answers one after another; the last one again and again. */
  gives(method: string, path: string, answers: readonly Answer[]): this {
    let next = 0;
    return this.on(method, path, () => answers[Math.min(next++, answers.length - 1)]!);
  }

  requestsTo(method: string, path: string): StubRequest[] {
    return this.requests.filter((request) => request.method === method && request.path === path);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://stub');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const content = Buffer.concat(chunks).toString();
    const seen: StubRequest = {
      method: request.method!,
      path: decodeURIComponent(url.pathname).replace(/^\/api\/v1/, ''),
      query: Object.fromEntries(url.searchParams),
      body: content === '' ? undefined : JSON.parse(content),
    };
    this.requests.push(seen);
    const answer = await this.#answer(seen, request.headers.authorization);
    if (answer === 'hang up') {
      request.socket.destroy();
      return;
    }
    const { status = 200, body, contentType = status < 400 ? 'application/json' : 'application/problem+json' } = answer;
    if (body === undefined) response.writeHead(204).end();
    else
      response
        .writeHead(status, { 'content-type': contentType })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  async #answer(request: StubRequest, authorization: string | undefined): Promise<Answer> {
    const isPublic = request.path === '/health' || request.path === '/version';
    if (!isPublic && authorization !== `Bearer ${this.token}`)
      return problem(401, 'E_UNAUTHORIZED', 'The token is not valid.');
    const route = this.#routes.find(({ key }) => key === `${request.method} ${request.path}`);
    return route ? route.handler(request) : problem(404, 'E_NOT_FOUND', `There is no ${request.path}.`);
  }
}

export function problem(status: number, code: string, detail: string, facts: object = {}): Answer {
  return { status, body: { type: 'about:blank', title: 'Problem', status, code, detail, ...facts } };
}
