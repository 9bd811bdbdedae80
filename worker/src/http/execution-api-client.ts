import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTransientError } from '@windhover/core';
import { Agent } from 'undici';
import { backoffMs } from '../dag-processor/backoff.ts';
import { ExecutionApiAnswerError } from './execution-api-answer-error.ts';
import { ExecutionApiUnreachableError } from './execution-api-unreachable-error.ts';
import { type Problem, reviveProblem } from './revive-problem.ts';

export interface CallOptions {
  readonly token: string | undefined;
  /** False where a second call could do something twice: then it is sent again only if it surely did not arrive. */
  readonly isRepeatable: boolean;
  /** How long the platform may hold its answer back. */
  readonly waitMs: number;
}

/** Calls the platform's execution API over connections that are kept. One for a process, whoever speaks through it. */
export class ExecutionApiClient {
  readonly #origin: string;
  readonly #basePath: string;
  readonly #agent = new Agent();
  readonly #closing = new AbortController();

  /** `url`: where the platform is served, such as `http://127.0.0.1:8080`. */
  constructor(url: string) {
    const { origin, pathname } = new URL(url);
    this.#origin = origin;
    this.#basePath = pathname.replace(/\/+$/, '');
    // Each call that waits to be sent again listens.
    setMaxListeners(0, this.#closing.signal);
  }

  /** `path` as in `task/start`. Throws what the platform threw. */
  async call(path: string, args: readonly unknown[], options: CallOptions): Promise<unknown> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#send(path, args, options);
      } catch (error) {
        const isWorthwhile = options.isRepeatable ? isTransientError(error) : isUnsent(error);
        if (!isWorthwhile || attempt === RETRIES || this.#closing.signal.aborted) throw error;
        // Not all at the same moment when the platform is back.
        const delayMs = backoffMs(attempt) * (0.5 + Math.random() / 2);
        await sleep(delayMs, undefined, { signal: this.#closing.signal }).catch(() => {
          throw error;
        });
      }
    }
  }

  /** Ends calls that are under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent.destroy();
  }

  async #send(path: string, args: readonly unknown[], { token, waitMs }: CallOptions): Promise<unknown> {
    const { statusCode, text } = await this.#request(path, JSON.stringify(args), token, waitMs);
    const answer = parseJson(text);
    if (statusCode === 200 && answer !== undefined) return answer;
    const problem = (answer ?? {}) as Partial<Problem>;
    const revived = typeof problem.detail === 'string' ? reviveProblem(problem as Problem) : null;
    throw revived ?? new ExecutionApiAnswerError(this.#origin, path, statusCode, problem.detail ?? shortened(text));
  }

  async #request(
    path: string,
    body: string,
    token: string | undefined,
    waitMs: number,
  ): Promise<{ statusCode: number; text: string }> {
    try {
      const { statusCode, body: answer } = await this.#agent.request({
        origin: this.#origin,
        path: `${this.#basePath}/execution/v1/${path}`,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
        body,
        headersTimeout: waitMs + ANSWER_TIMEOUT_MS,
        bodyTimeout: ANSWER_TIMEOUT_MS,
      });
      return { statusCode, text: await answer.text() };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new ExecutionApiUnreachableError(this.#origin, path, code ?? message, { cause: error });
    }
  }
}

const RETRIES = 4;
const ANSWER_TIMEOUT_MS = 60_000;

/** The connection was never made, so nobody can have got the call. */
function isUnsent(error: unknown): boolean {
  const cause = ExecutionApiUnreachableError.isWindhoverError(error) ? error.cause : undefined;
  return UNSENT.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}

const UNSENT = new Set(['ECONNREFUSED', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** Undefined for what is no JSON, such as a proxy's page. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text || 'no text';
}
