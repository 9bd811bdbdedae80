import type { Connection } from '@windhover/core';
import type { HttpRequest } from './http-request.ts';
import { HttpUrlError } from './http-url-error.ts';

/** What a connection says about a server. */
export interface HttpTarget {
  readonly baseUrl: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/**
 * Host and port; the scheme is in `schema`, in the type (`https://…` as a URI), or in the host, which then may have a path
 * too: `https://api.example.com/v2`.
 */
export function targetOf(connection: Connection): HttpTarget {
  const { connId, extra } = connection;
  const address = addressOf(connection);
  if (!URL.canParse(address)) throw new HttpUrlError(connId, `its host and port make "${address}", which is no URL`);
  const baseUrl = new URL(address);
  if (baseUrl.protocol !== 'http:' && baseUrl.protocol !== 'https:') {
    throw new HttpUrlError(connId, `"${baseUrl.protocol}//" is not spoken here. Take http or https`);
  }
  const { timeoutSeconds = 60 } = extra;
  return { baseUrl, headers: headersOf(connection), timeoutMs: Number(timeoutSeconds) * 1_000 };
}

/** The URL of a request. Another server than the connection's is refused, because it would get its credentials. */
export function urlOf({ baseUrl }: HttpTarget, { endpoint, params = {} }: HttpRequest, connId: string): URL {
  const isWhole = /^[a-z][a-z0-9+.-]*:\/\//i.test(endpoint);
  const text = isWhole ? endpoint : `${baseUrl.href.replace(/\/$/, '')}/${endpoint.replace(/^\//, '')}`;
  if (!URL.canParse(text)) throw new HttpUrlError(connId, `the endpoint ${JSON.stringify(endpoint)} makes no URL`);
  const url = new URL(text);
  if (url.origin !== baseUrl.origin) {
    throw new HttpUrlError(
      connId,
      `the endpoint leads to ${url.origin}, and the connection to ${baseUrl.origin}. Make a connection for that server`,
    );
  }
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, String(value));
  return url;
}

function addressOf({ connId, connType, host, port, schema }: Connection): string {
  if (!host) throw new HttpUrlError(connId, 'the connection has no host');
  const suffix = port === undefined ? '' : `:${port}`;
  if (host.includes('://')) return suffix === '' ? host : host.replace(/^(\w+:\/\/[^/]+)/, `$1${suffix}`);
  const name = host.includes(':') ? `[${host}]` : host;
  return `${schema ?? (connType === 'https' ? 'https' : 'http')}://${name}${suffix}`;
}

function headersOf({ login, password, extra }: Connection): Record<string, string> {
  const { headers, token } = extra;
  const authorization =
    typeof token === 'string' && token !== ''
      ? `Bearer ${token}`
      : login || password
        ? `Basic ${Buffer.from(`${login ?? ''}:${password ?? ''}`).toString('base64')}`
        : undefined;
  return {
    ...(authorization ? { authorization } : {}),
    ...Object.fromEntries(
      Object.entries((headers ?? {}) as Record<string, unknown>).map(([name, value]) => [
        name.toLowerCase(),
        String(value),
      ]),
    ),
  };
}
