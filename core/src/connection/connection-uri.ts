import type { Json } from '../json.ts';
import type { ConnectionFields } from './connection.ts';
import { ConnectionUriError } from './connection-uri-error.ts';

/**
 * `type://login:password@host:port/schema?key=value`. Read by hand and not by `URL`, which treats unknown schemes
 * differently, lower-cases hosts and drops what it does not expect.
 *
 * Extra fields are query parameters where all are texts; otherwise one parameter, `__extra__`, holds them as JSON.
 */
export function parseConnectionUri(connId: string, uri: string): ConnectionFields {
  const match = URI.exec(uri);
  if (!match) {
    const isHash = /^[^:/?#]+:\/\//.test(uri) && uri.includes('#');
    throw new ConnectionUriError(
      connId,
      isHash ? 'it holds a "#" that is not encoded as %23' : 'it does not begin with a type and "://"',
    );
  }
  const [, scheme = '', userinfo, host, port, path, query] = match;
  const decode = decoderFor(connId);
  const colon = userinfo?.indexOf(':') ?? -1;
  return {
    connType: decode(scheme),
    login: userinfo === undefined ? undefined : decode(colon < 0 ? userinfo : userinfo.slice(0, colon)),
    password: userinfo === undefined || colon < 0 ? undefined : decode(userinfo.slice(colon + 1)),
    host: host === undefined ? undefined : decode(host.startsWith('[') ? host.slice(1, -1) : host),
    port: port === undefined ? undefined : parsePort(connId, port),
    schema: path === undefined ? undefined : decode(path),
    extra: query === undefined ? {} : parseExtra(connId, query, decode),
  };
}

export function formatConnectionUri(fields: ConnectionFields): string {
  const { login, password, host, port, schema } = fields;
  const userinfo = login || password ? `${encode(login ?? '')}${password ? `:${encode(password)}` : ''}@` : '';
  const address = `${host ? formatHost(host) : ''}${port === undefined ? '' : `:${port}`}`;
  const query = formatExtra(fields.extra ?? {});
  return `${encode(fields.connType)}://${userinfo}${address}${schema ? `/${encode(schema)}` : ''}${query ? `?${query}` : ''}`;
}

// scheme :// userinfo? host? port? /path? ?query?. The last "@" before the path ends the userinfo.
const URI = /^([^:/?#]+):\/\/(?:([^/?#]*)@)?(\[[^\]/?#@]*\]|[^:/?#@]+)?(?::([^/?#@]*))?(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const EXTRA_AS_JSON = '__extra__';

function parsePort(connId: string, text: string): number | undefined {
  if (text === '') return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new ConnectionUriError(
      connId,
      'its port is not a number up to 65535 (perhaps the host is missing, or a "/", "?" or "#" in the password is not encoded)',
    );
  return port;
}

function parseExtra(connId: string, query: string, decode: (text: string) => string): Record<string, Json> {
  const pairs = query.split('&').filter(Boolean);
  const entries = pairs.map((pair) => {
    const equals = pair.indexOf('=');
    const [key, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    return [decode(key.replaceAll('+', '%20')), decode(value.replaceAll('+', '%20'))] as const;
  });
  const json = entries.find(([key]) => key === EXTRA_AS_JSON)?.[1];
  return {
    ...Object.fromEntries(entries.filter(([key]) => key !== EXTRA_AS_JSON)),
    ...(json ? parseJson(connId, json) : {}),
  };
}

function parseJson(connId: string, text: string): Record<string, Json> {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    // Without its cause: the message of a SyntaxError quotes the text, and so the secret.
    throw new ConnectionUriError(connId, `its ${EXTRA_AS_JSON} parameter is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConnectionUriError(connId, `its ${EXTRA_AS_JSON} parameter is not a JSON object`);
  }
  return value as Record<string, Json>;
}

function formatExtra(extra: Readonly<Record<string, Json>>): string {
  const entries = Object.entries(extra);
  const allTexts = entries.every(([key, value]) => typeof value === 'string' && key !== EXTRA_AS_JSON);
  if (!allTexts) return `${EXTRA_AS_JSON}=${encode(JSON.stringify(extra))}`;
  return entries.map(([key, value]) => `${encode(key)}=${encode(value as string)}`).join('&');
}

/** IPv6 addresses keep their colons inside brackets; everything else is percent-encoded. */
function formatHost(host: string): string {
  return /^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/.test(host) ? `[${host}]` : encode(host);
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}

function decoderFor(connId: string): (text: string) => string {
  return (text) => {
    try {
      return decodeURIComponent(text);
    } catch (cause) {
      throw new ConnectionUriError(connId, 'it holds a "%" that is not part of a percent-encoding such as %40', {
        cause,
      });
    }
  };
}
