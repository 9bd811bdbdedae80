import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type RequestOptions, request as requestHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ApiStatus } from './api-status.ts';

export interface FaultProxyOptions {
  /** The server behind it. */
  readonly target: string;
  /** How it is reached, such as its certificate authority. Default: nothing special. */
  readonly tls?: Pick<RequestOptions, 'ca' | 'rejectUnauthorized' | 'servername'>;
}

export interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/**
 * Stands before an API server, ours or a real one, and breaks what is asked of it. So the same test of a failure runs
 * against both.
 */
export class FaultProxy {
  readonly url: string;
  /** Method and path of what has passed, or was refused. */
  readonly requests: string[] = [];
  readonly #options: FaultProxyOptions;
  readonly #http: Server;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<ServerResponse>();
  readonly #refusals: { readonly matches: (request: string) => boolean; readonly refusal: Refusal; left: number }[] =
    [];
  readonly #losses: { readonly matches: (request: string) => boolean; left: number }[] = [];
  #oldWatches = 0;

  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const http = createServer();
    await listen(http, 0);
    return new FaultProxy(http, options);
  }

  private constructor(http: Server, options: FaultProxyOptions) {
    this.#http = http;
    this.#options = options;
    this.#port = (http.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.#port}`;
    http.on('request', (request, response) => this.#pass(request, response));
    http.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Ends all watches in the middle, as a load balancer does. */
  cutWatches(): void {
    for (const response of this.#watches) response.destroy();
  }

  /** The next watches ask for a version that is long gone; the server answers them as it does. */
  ageWatches(count: number): void {
    this.#oldWatches = count;
    this.cutWatches();
  }

  /** Refuses the next requests whose `METHOD /path` matches. */
  refuse(matches: RegExp, count: number, refusal: Refusal): void {
    this.#refusals.push({ matches: (request) => matches.test(request), refusal, left: count });
  }

  /** The next requests that match are done, and their answer is lost. */
  loseAnswers(matches: RegExp, count: number): void {
    this.#losses.push({ matches: (request) => matches.test(request), left: count });
  }

  /** Nobody answers any more, and what was open is cut. */
  async goDown(): Promise<void> {
    const closed = new Promise((resolve) => this.#http.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async comeBack(): Promise<void> {
    await listen(this.#http, this.#port);
  }

  async close(): Promise<void> {
    if (this.#http.listening) await this.goDown();
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url!, this.#options.target);
    const name = `${request.method} ${url.pathname}`;
    this.requests.push(name);
    const refused = this.#refusals.find(({ matches, left }) => left > 0 && matches(name));
    if (refused) {
      refused.left -= 1;
      request.resume();
      refuse(response, refused.refusal);
      return;
    }
    const isWatch = url.searchParams.get('watch') === 'true';
    if (isWatch) {
      this.#watches.add(response);
      response.on('close', () => this.#watches.delete(response));
      if (this.#oldWatches > 0) {
        this.#oldWatches -= 1;
        url.searchParams.set('resourceVersion', '1');
      }
    }
    const { host: _host, ...headers } = request.headers;
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const lost = this.#losses.find(({ matches, left }) => left > 0 && matches(name));
    if (lost) lost.left -= 1;
    const upstream = send(url, { method: request.method, headers, ...this.#options.tls }, (answer) => {
      if (lost) {
        answer.resume();
        answer.on('end', () => response.destroy());
        return;
      }
      response.writeHead(answer.statusCode!, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  }
}

function refuse(response: ServerResponse, { status, reason, message, retryAfterSeconds }: Refusal): void {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const body = JSON.stringify(new ApiStatus(status, reason, message));
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

function listen(http: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, '127.0.0.1', () => {
      http.off('error', reject);
      resolve();
    });
  });
}
