import { BaseOperator, type Context, TaskFailed } from '@windhover/core';
import { HttpHook, type HttpRetryPolicy } from './http-hook.ts';
import type { HttpAnswer, HttpRequest } from './http-request.ts';

export interface HttpOperatorArgs<Result> extends HttpRequest {
  /** Default: `http_default`. */
  readonly httpConnId?: string;
  /** What to change in the request for the next page; null or nothing after the last one. Default: one request. */
  readonly paginationFunction?: (answer: HttpAnswer) => Partial<HttpRequest> | null | undefined;
  /** Whether an answer is what was expected; otherwise the task fails. Default: any status below 400 is. */
  readonly responseCheck?: (answer: HttpAnswer, context: Context) => boolean | Promise<boolean>;
  /** The result, from all answers. Default: what the answer holds, or a list of that with `paginationFunction`. */
  readonly responseFilter?: (answers: readonly HttpAnswer[]) => Result;
  readonly retry?: HttpRetryPolicy;
}

/**
 * Sends a request and returns what was answered, page by page where there are several. It holds its worker: a request has
 * no handle one could come back to. For work that takes long, use `HttpJobOperator`.
 *
 * ```ts
 * new HttpOperator({
 *   taskId: 'orders',
 *   method: 'GET',
 *   endpoint: '/orders',
 *   paginationFunction: ({ data }) => (data.next ? { params: { page: data.next } } : null),
 *   responseFilter: (answers) => answers.flatMap(({ data }) => data.items),
 * });
 * ```
 */
export class HttpOperator<Result = unknown> extends BaseOperator<Result, HttpOperatorArgs<Result>> {
  async execute(context: Context): Promise<Result> {
    const { httpConnId = 'http_default', paginationFunction, responseFilter, retry } = this.args;
    const hook = new HttpHook(context, httpConnId);
    const answers: HttpAnswer[] = [];
    let request: HttpRequest | undefined = this.request();
    while (request) {
      const answer: HttpAnswer = await hook.requestWithRetry(request, context, retry);
      await this.check(answer, context);
      answers.push(answer);
      const next: Partial<HttpRequest> | null | undefined = paginationFunction?.(answer);
      request = next ? { ...this.request(), ...next } : undefined;
    }
    if (responseFilter) return responseFilter(answers);
    return (paginationFunction ? answers.map(({ data }) => data) : answers[0]!.data) as Result;
  }

  private request(): HttpRequest {
    const { endpoint, method = 'POST', params, headers, data } = this.args;
    return {
      endpoint,
      method,
      ...(params && { params }),
      ...(headers && { headers }),
      ...(data !== undefined && { data }),
    };
  }

  private async check(answer: HttpAnswer, context: Context): Promise<void> {
    const { responseCheck, endpoint } = this.args;
    if (!responseCheck || (await responseCheck(answer, context))) return;
    throw new TaskFailed(`The answer to ${endpoint} (status ${answer.status}) did not pass the responseCheck.`);
  }
}
