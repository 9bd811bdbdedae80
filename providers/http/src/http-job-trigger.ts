import {
  type Duration,
  evaluatePredicate,
  JobTrigger,
  type Json,
  type Predicate,
  TriggerEvent,
  type TriggerScope,
} from '@windhover/core';
import { HttpHook } from './http-hook.ts';
import type { HttpRequest } from './http-request.ts';
import { HttpStatusError } from './http-status-error.ts';
import { withHandle } from './with-handle.ts';

export interface HttpJobTriggerKwargs {
  /** What the service calls the job. */
  readonly handle: string;
  readonly httpConnId: string;
  readonly status: HttpRequest;
  readonly isDone: Predicate;
  readonly isFailed: Predicate;
  /** Null where the service cannot cancel. */
  readonly cancel: HttpRequest | null;
  readonly interval: Duration;
}

export interface HttpJobEvent {
  readonly status: 'done' | 'failed';
  /** What the service said about the job in the end. */
  readonly data: Json;
}

/** Asks a service about a job until it is done or has failed. Predicates are data, so it needs nobody's DAG file. */
export class HttpJobTrigger extends JobTrigger<string, HttpJobEvent, HttpJobTriggerKwargs> {
  static override readonly classpath = '@windhover/provider-http#HttpJobTrigger';

  async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<HttpJobEvent>> {
    const { httpConnId, interval } = this.kwargs;
    const hook = new HttpHook(scope, httpConnId);
    yield new TriggerEvent(await scope.poll(() => checkHttpJob(hook, this.kwargs, scope.signal), { interval }));
  }

  async cancel(handle: string, scope: TriggerScope): Promise<void> {
    await cancelHttpJob(new HttpHook(scope, this.kwargs.httpConnId), handle, this.kwargs.cancel, scope);
  }
}

/** Looks once; undefined while the job goes on. */
export async function checkHttpJob(
  hook: HttpHook,
  { handle, status, isDone, isFailed }: Omit<HttpJobTriggerKwargs, 'interval' | 'cancel' | 'httpConnId'>,
  signal: AbortSignal,
): Promise<HttpJobEvent | undefined> {
  const { data } = await hook.request(withHandle(status, handle), { signal });
  if (evaluatePredicate(isFailed, data)) return { status: 'failed', data };
  return evaluatePredicate(isDone, data) ? { status: 'done', data } : undefined;
}

/** A job that has ended, or that is no longer known, is as good as cancelled. */
export async function cancelHttpJob(
  hook: HttpHook,
  handle: string,
  request: HttpRequest | null,
  host: Parameters<HttpHook['requestWithRetry']>[1],
): Promise<void> {
  if (!request) return;
  try {
    await hook.requestWithRetry(withHandle(request, handle), host);
  } catch (error) {
    if (!(error instanceof HttpStatusError && [404, 409, 410].includes(error.status))) throw error;
  }
}
