import {
  BaseHook,
  type Connection,
  type ConnectionTestResult,
  type Context,
  type Duration,
  durationMs,
  isTransientError,
  type Json,
} from '@windhover/core';
import type { Dispatcher } from 'undici';
import { type HttpAnswer, type HttpRequest, isRepeatable } from './http-request.ts';
import { HttpStatusError } from './http-status-error.ts';
import { type HttpTarget, targetOf, urlOf } from './http-target.ts';
import { HttpUnreachableError } from './http-unreachable-error.ts';

export interface HttpSendOptions {
  /** Default: never aborted. */
  readonly signal?: AbortSignal;
  /** For the whole answer. Default: the connection's, 60 seconds. */
  readonly timeout?: Duration;
}

/** How often and how soon a request is sent again that failed in a way that passes. */
export interface HttpRetryPolicy {
  /** Default: 3. */
  readonly maxFailures?: number;
  /** After the first failure; it doubles with each. `Retry-After` may ask for more. Default: 1 second. */
  readonly interval?: Duration;
  /** Default: 30 seconds. */
  readonly maxInterval?: Duration;
}

/**
 * Requests to one server. Connections are kept and shared by all hooks of a process. Redirects are followed, without
 * the credentials where they lead to another server.
 *
 * ```ts
 * const { data } = await new HttpHook(context, 'api').request({ endpoint: '/status' });
 * ```
 */
export class HttpHook extends BaseHook<HttpTarget> {
  static readonly connType = 'http';

  /** Sends once. A status of 400 or more is an `HttpStatusError`, no answer an `HttpUnreachableError`. */
  async request(request: HttpRequest, options: HttpSendOptions = {}): Promise<HttpAnswer> {
    const target = await this.client();
    const { method = 'GET' } = request;
    const url = urlOf(target, request, this.connId);
    // Without the query, which may hold a secret.
    const what = `${method} ${url.origin}${url.pathname}`;
    const answer = await this.send(target, url, request, options).catch((error: unknown) => {
      options.signal?.throwIfAborted();
      throw new HttpUnreachableError(what, this.connId, error);
    });
    if (answer.status >= 400) throw new HttpStatusError(what, this.connId, answer);
    return answer;
  }

  /**
   * Sends again after failures that pass: any, if the request may be repeated; otherwise only those where the server
   * has refused it or has not seen it.
   */
  requestWithRetry(
    request: HttpRequest,
    host: Pick<Context, 'poll' | 'signal'>,
    policy: HttpRetryPolicy = {},
  ): Promise<HttpAnswer> {
    const { maxFailures = 3, interval = '1s', maxInterval = '30s' } = policy;
    return host.poll(() => this.request(request, { signal: host.signal }), {
      interval,
      maxInterval,
      maxFailures,
      isTransient: (error) => isTransientError(error) && (isRepeatable(request) || isUnprocessed(error)),
    });
  }

  /** Asks for the address of the connection: whatever is not there, the server and its credentials are what counts. */
  override async testConnection(): Promise<ConnectionTestResult> {
    try {
      const { status } = await this.request({ endpoint: '' }, { timeout: '15s' });
      return { isSuccess: true, message: `The server answers with ${status}.` };
    } catch (error) {
      if (error instanceof HttpStatusError && (error.status === 404 || error.status === 405)) {
        return { isSuccess: true, message: `The server answers, with ${error.status} for its root.` };
      }
      return { isSuccess: false, message: (error as Error).message };
    }
  }

  protected createClient(connection: Connection): HttpTarget {
    return targetOf(connection);
  }

  private async send(
    target: HttpTarget,
    url: URL,
    { method = 'GET', headers = {}, data }: HttpRequest,
    { signal, timeout }: HttpSendOptions,
  ): Promise<HttpAnswer> {
    const { request } = await import('undici');
    const limit = AbortSignal.timeout(timeout === undefined ? target.timeoutMs : durationMs(timeout));
    const answer = await request(url, {
      dispatcher: await pooled(),
      method,
      headers: { ...target.headers, ...bodyHeaders(data), ...lowerCase(headers) },
      body: data === undefined ? null : typeof data === 'string' ? data : JSON.stringify(data),
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: joined(answer.headers), data: parsed(text, answer.headers) };
  }
}

let pool: Promise<Dispatcher> | undefined;

/** One for the process, made when the first request is sent: importing this package loads no client. */
function pooled(): Promise<Dispatcher> {
  pool ??= import('undici').then(({ Agent, interceptors }) =>
    new Agent({ connections: 64 }).compose(interceptors.redirect({ maxRedirections: 5 })),
  );
  return pool;
}

function isUnprocessed(error: unknown): boolean {
  if (error instanceof HttpStatusError) return error.status === 429;
  return error instanceof HttpUnreachableError && error.isUnseen;
}

function bodyHeaders(data: Json | undefined): Record<string, string> {
  return data === undefined || typeof data === 'string' ? {} : { 'content-type': 'application/json' };
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function joined(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  );
}

/** A server that says JSON and sends something else is left with its text, which an error can show. */
function parsed(text: string, headers: Dispatcher.ResponseData['headers']): Json {
  if (!/[/+]json\b/i.test(String(headers['content-type'] ?? ''))) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
