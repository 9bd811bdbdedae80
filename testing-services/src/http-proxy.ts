import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxiedRequest {
  readonly method: string;
  /** With its query, as it was sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What is answered in place of the server; `reset` breaks the connection. */
export type ProxyAnswer = { readonly status: number; readonly body?: string } | 'reset' | undefined;

export interface HttpProxy {
  readonly endpoint: string;
  readonly requests: readonly ProxiedRequest[];
  stop(): Promise<void>;
}

/**
 * Stands before a real server: counts requests, and may change the world or answer itself before one goes on. Headers
 * stay as they are, so that signatures hold.
 */
export async function startHttpProxy(
  target: string,
  intercept: (request: ProxiedRequest) => Promise<ProxyAnswer> | ProxyAnswer = () => undefined,
): Promise<HttpProxy> {
  const requests: ProxiedRequest[] = [];
  const { hostname, port } = new URL(target);
  const server = createServer(async (incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const proxied = { method, url, headers };
    requests.push(proxied);
    const answer = await intercept(proxied);
    if (answer === 'reset') return void incoming.socket.resetAndDestroy();
    if (answer) {
      incoming.resume();
      return void response.writeHead(answer.status).end(answer.body ?? '');
    }
    const outgoing = send({ hostname, port, method, path: url, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
