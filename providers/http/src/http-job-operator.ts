import {
  BaseOperator,
  type Context,
  type Duration,
  JobFailedError,
  type Json,
  oneOf,
  type Predicate,
  poll,
  TaskFailed,
  type TriggerEvent,
} from '@windhover/core';
import { HttpHook } from './http-hook.ts';
import {
  cancelHttpJob,
  checkHttpJob,
  type HttpJobEvent,
  HttpJobTrigger,
  type HttpJobTriggerKwargs,
} from './http-job-trigger.ts';
import type { HttpAnswer, HttpRequest } from './http-request.ts';
import { withHandle } from './with-handle.ts';

export interface HttpJobArgs<Result> {
  /** Default: `http_default`. */
  readonly httpConnId?: string;
  /** Starts the job. Sent with an `Idempotency-Key` that stays the same over crashes and retries. Default method: `POST`. */
  readonly submit: HttpRequest;
  /** What the service calls the job, from its answer. Default: the field `id`. */
  readonly handle?: (answer: HttpAnswer) => string;
  /** Asks about the job; `{handle}` stands for it: `{ endpoint: '/jobs/{handle}' }`. */
  readonly status: HttpRequest;
  /** When the job is done, by what the service says about it: `eq('state', 'DONE')`. */
  readonly isDone: Predicate;
  /** When it has failed; asked first. Default: never. */
  readonly isFailed?: Predicate;
  /** Fetches the result of a job that is done. Default: what the service said about it in the end. */
  readonly result?: HttpRequest;
  /** Default: all that was answered. */
  readonly responseFilter?: (data: any) => Result;
  /** Cancels the job when the task is killed; null where the service cannot. Default method: `DELETE`. */
  readonly cancel: HttpRequest | null;
  /** Default: 10 seconds. */
  readonly pollInterval?: Duration;
  /** False holds the worker while the job runs. Default: true. */
  readonly deferrable?: boolean;
}

/**
 * A job of any service with a job API: submit, wait without a worker, fetch the result; cancelled when the task is killed.
 *
 * ```ts
 * new HttpJobOperator({
 *   taskId: 'report',
 *   submit: { endpoint: '/reports', data: { month: '2026-01' } },
 *   status: { endpoint: '/reports/{handle}' },
 *   isDone: eq('state', 'ready'),
 *   isFailed: eq('state', 'error'),
 *   cancel: { endpoint: '/reports/{handle}' },
 * });
 * ```
 */
export class HttpJobOperator<Result = Json> extends BaseOperator<Result, HttpJobArgs<Result>> {
  /** Known while this worker has the job. */
  private running: string | undefined;

  async execute(context: Context): Promise<Result> {
    const { httpConnId = 'http_default', submit, deferrable = true } = this.args;
    const hook = new HttpHook(context, httpConnId);
    // Stored before the job is asked for: a worker that is lost meanwhile asks again for the same one.
    const key = await context.step('idempotency key', () => crypto.randomUUID());
    const handle = await context.step('submit', async () => {
      const headers = { 'idempotency-key': key, ...submit.headers };
      return this.handleOf(await hook.requestWithRetry({ method: 'POST', ...submit, headers }, context));
    });
    this.running = handle;
    context.log.info(`Submitted job "${handle}".`);
    const wait = this.wait(handle);
    if (deferrable) this.defer({ trigger: new HttpJobTrigger(wait), resume: this.executeComplete, kwargs: { handle } });
    const { interval } = wait;
    const event = await context.poll(() => checkHttpJob(hook, wait, context.signal), { interval });
    return this.complete(context, handle, event);
  }

  executeComplete(
    context: Context,
    event: TriggerEvent<HttpJobEvent>,
    { handle }: { handle: string },
  ): Promise<Result> {
    return this.complete(context, handle, event.payload);
  }

  override async onKill(context: Context): Promise<void> {
    const { httpConnId = 'http_default' } = this.args;
    if (this.running === undefined) return;
    // The task's own signal has aborted, which would also end the pauses of `context.poll`.
    const host: Pick<Context, 'poll' | 'signal'> = {
      signal: new AbortController().signal,
      poll: (check, options) => poll(check, options, { now: () => context.now(), log: context.log, sleep }),
    };
    await cancelHttpJob(new HttpHook(context, httpConnId), this.running, this.wait(this.running).cancel, host);
  }

  private async complete(context: Context, handle: string, { status, data }: HttpJobEvent): Promise<Result> {
    this.running = undefined;
    const { httpConnId = 'http_default', result, responseFilter } = this.args;
    if (status === 'failed') {
      throw new JobFailedError(
        `Job "${handle}" of connection "${httpConnId}" has failed: ${JSON.stringify(data).slice(0, 500)}`,
      );
    }
    const answered = result
      ? (await new HttpHook(context, httpConnId).requestWithRetry(withHandle(result, handle), context)).data
      : data;
    return responseFilter ? responseFilter(answered) : (answered as Result);
  }

  private wait(handle: string): HttpJobTriggerKwargs {
    const { httpConnId = 'http_default', status, isDone, isFailed = NEVER, cancel, pollInterval = '10s' } = this.args;
    return {
      handle,
      httpConnId,
      status,
      isDone,
      isFailed,
      cancel: cancel && { method: 'DELETE', ...cancel },
      interval: pollInterval,
    };
  }

  private handleOf(answer: HttpAnswer): string {
    const { handle = ({ data }) => data?.id } = this.args;
    const found: unknown = handle(answer);
    if (typeof found === 'string' || typeof found === 'number') return String(found);
    throw new TaskFailed(
      `The answer to ${this.args.submit.endpoint} does not say what the job is called: ` +
        `${JSON.stringify(answer.data).slice(0, 200)}. Pass \`handle\` to take it from there.`,
    );
  }
}

const NEVER: Predicate = oneOf([]);

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
