import { BaseSensor, type PokeResult, type TriggerContext } from '@windhover/core';
import { HttpHook } from './http-hook.ts';
import type { HttpAnswer, HttpRequest } from './http-request.ts';
import { HttpStatusError } from './http-status-error.ts';

export interface HttpSensorArgs<Result> extends HttpRequest {
  /** Default: `http_default`. */
  readonly httpConnId?: string;
  /** Whether the wait is over, and with which result. Default: any status below 400 ends it. */
  readonly responseCheck?: (
    answer: HttpAnswer,
    context: TriggerContext,
  ) => boolean | PokeResult<Result> | Promise<boolean | PokeResult<Result>>;
  /** Statuses that mean «not yet». Others of 400 and more fail the task. Default: 404. */
  readonly responseErrorCodesAllowlist?: readonly number[];
}

/**
 * Asks an endpoint until it gives the answer that is waited for.
 *
 * ```ts
 * new HttpSensor({ taskId: 'published', endpoint: '/reports/7', responseCheck: ({ data }) => data.state === 'published' });
 * ```
 */
export class HttpSensor<Result = unknown> extends BaseSensor<Result, HttpSensorArgs<Result>> {
  async poke(context: TriggerContext): Promise<boolean | PokeResult<Result>> {
    const { httpConnId = 'http_default', responseCheck = () => true, responseErrorCodesAllowlist = [404] } = this.args;
    const { endpoint, method = 'GET', params, headers, data } = this.args;
    const request = {
      endpoint,
      method,
      ...(params && { params }),
      ...(headers && { headers }),
      ...(data !== undefined && { data }),
    };
    try {
      const answer = await new HttpHook(context, httpConnId).request(request, { signal: context.signal });
      return await responseCheck(answer, context);
    } catch (error) {
      if (error instanceof HttpStatusError && responseErrorCodesAllowlist.includes(error.status)) return false;
      throw error;
    }
  }
}
