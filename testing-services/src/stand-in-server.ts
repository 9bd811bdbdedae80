import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a stand-in sees it. */
export interface StandInRequest {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Objects are sent as JSON; bytes and texts as they are. */
export interface StandInAnswer {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Something that goes wrong, or takes its time, before the service itself is asked. */
export interface Fault {
  /** Tested against `METHOD /path?query`. */
  readonly on: RegExp;
  /** How many matching requests it hits. Default: 1. */
  readonly times?: number;
  /** How many matching requests pass before it. Default: 0. */
  readonly after?: number;
  /** `reset` breaks the connection without an answer; `loseAnswer` does the work first. Default: the service answers. */
  readonly answer?: StandInAnswer | 'reset' | 'loseAnswer';
  /** Waits before it goes on. Default: 0. */
  readonly delayMs?: number;
}

export type StandInHandler = (request: StandInRequest) => StandInAnswer | Promise<StandInAnswer>;

/** An HTTP server on loopback that stands in for a service, counts what it is asked, and fails as it is told. */
export class StandInServer {
  readonly url: string;
  /** Every request it got, faults included. */
  readonly requests: StandInRequest[] = [];
  readonly #close: () => Promise<void>;
  readonly #faults: { fault: Fault; seen: number }[] = [];

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async start(handle: StandInHandler): Promise<StandInServer> {
    const http = createServer(async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const url = new URL(incoming.url!, 'http://stand-in');
      const request: StandInRequest = {
        method: incoming.method!,
        path: decodeURIComponent(url.pathname),
        query: url.searchParams,
        headers: incoming.headers,
        body: Buffer.concat(chunks),
      };
      server.requests.push(request);
      await server.#answer(request, response, handle);
    });
    await new Promise<void>((resolve) => {
      http.listen(0, '127.0.0.1', resolve);
    });
    const close = async () => {
      http.closeAllConnections();
      await new Promise((resolve) => {
        http.close(resolve);
      });
    };
    const server = new StandInServer(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, close);
    return server;
  }

  /** Scripts a failure or a delay. Several may be given; the first that applies is taken. */
  fail(fault: Fault): void {
    this.#faults.push({ fault, seen: 0 });
  }

  /** How many requests matched, as `METHOD /path?query`. */
  count(pattern: RegExp): number {
    return this.requests.filter((request) => pattern.test(lineOf(request))).length;
  }

  stop(): Promise<void> {
    return this.#close();
  }

  async #answer(request: StandInRequest, response: ServerResponse, handle: StandInHandler): Promise<void> {
    const fault = this.#faultFor(request);
    if (fault?.delayMs) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    if (fault?.answer === 'reset') return void response.socket?.resetAndDestroy();
    try {
      if (fault?.answer === 'loseAnswer') {
        await handle(request);
        return void response.socket?.resetAndDestroy();
      }
      send(response, fault?.answer ?? (await handle(request)));
    } catch (error) {
      if (error === CONNECTION_RESET) return void response.socket?.resetAndDestroy();
      send(response, { status: 500, body: { error: { code: 500, message: `The stand-in failed: ${error}` } } });
    }
  }

  #faultFor(request: StandInRequest): Fault | undefined {
    for (const each of this.#faults) {
      if (!each.fault.on.test(lineOf(request))) continue;
      const { after = 0, times = 1 } = each.fault;
      each.seen += 1;
      if (each.seen > after && each.seen <= after + times) return each.fault;
    }
    return undefined;
  }
}

/** A handler throws it to break the connection without an answer. */
export const CONNECTION_RESET = new Error('The stand-in breaks the connection.');

export function jsonOf<T>(request: StandInRequest): T {
  return (request.body.length === 0 ? {} : JSON.parse(request.body.toString())) as T;
}

function lineOf({ method, path, query }: StandInRequest): string {
  return `${method} ${path}${query.size > 0 ? `?${query}` : ''}`;
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: StandInAnswer): void {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const content = body === undefined ? '' : isRaw ? body : JSON.stringify(body);
  response.writeHead(status, { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...headers });
  response.end(content);
}
