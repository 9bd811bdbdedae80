import { WindhoverError } from '@windhover/core';
import type { HttpAnswer } from './http-request.ts';

/** A server answered, but not with what was asked for. */
export class HttpStatusError extends WindhoverError {
  readonly code = 'E_HTTP_STATUS';
  override readonly isRetryable: boolean;
  readonly status: number;
  /** How long the server asks to wait, by its `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  readonly answer: HttpAnswer;

  constructor(what: string, connId: string, answer: HttpAnswer) {
    const { status } = answer;
    super(`${what} was answered with ${status}${excerptOf(answer)}.${adviceFor(status, connId)}`);
    this.status = status;
    this.answer = answer;
    this.isRetryable = status === 408 || status === 429 || status >= 500;
    this.retryAfterMs = retryAfterOf(answer.headers['retry-after']);
  }
}

const EXCERPT_LENGTH = 200;

function excerptOf({ data }: HttpAnswer): string {
  const text = typeof data === 'string' ? data.trim() : JSON.stringify(data);
  return text === '' ? '' : `: ${text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text}`;
}

function adviceFor(status: number, connId: string): string {
  if (status === 401 || status === 403) return ` Check login, password or token of connection "${connId}".`;
  if (status === 404) return ` Check the endpoint, and the host of connection "${connId}".`;
  return '';
}

/** Seconds, or a date. */
function retryAfterOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
