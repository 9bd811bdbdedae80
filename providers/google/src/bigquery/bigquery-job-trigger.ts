import { type Duration, JobTrigger, TriggerEvent, type TriggerScope } from '@windhover/core';
import { BigQueryHook } from './bigquery-hook.ts';
import type { BigQueryJob, BigQueryJobError, BigQueryJobReference } from './job.ts';

/** A job has ended. Its rows do not travel: whoever needs them reads them by the reference. */
export type BigQueryJobEvent =
  | { readonly status: 'done'; readonly job: BigQueryJobReference }
  | { readonly status: 'failed'; readonly job: BigQueryJobReference; readonly error: BigQueryJobError };

export interface BigQueryJobTriggerKwargs {
  readonly handle: BigQueryJobReference;
  readonly gcpConnId: string;
  /** Default: the connection's. */
  readonly impersonationChain?: string | readonly string[];
  readonly pollInterval: Duration;
  /** False for a job that belongs to somebody else. */
  readonly cancelOnKill: boolean;
}

/** Waits until a BigQuery job has ended, however it is called meanwhile: pending, running or anything new. */
export class BigQueryJobTrigger extends JobTrigger<BigQueryJobReference, BigQueryJobEvent, BigQueryJobTriggerKwargs> {
  static override readonly classpath = '@windhover/provider-google/bigquery#BigQueryJobTrigger';

  async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<BigQueryJobEvent>> {
    const { handle, pollInterval } = this.kwargs;
    const hook = this.#hook(scope);
    const job = await scope.poll(() => hook.finishedJob(handle), { interval: pollInterval });
    yield new TriggerEvent(eventOf(job));
  }

  async cancel(handle: BigQueryJobReference, scope: TriggerScope): Promise<void> {
    if (this.kwargs.cancelOnKill) await this.#hook(scope).cancelJob(handle);
  }

  #hook(scope: TriggerScope): BigQueryHook {
    const { handle, gcpConnId, impersonationChain } = this.kwargs;
    return new BigQueryHook(scope, gcpConnId, { projectId: handle.projectId, impersonationChain });
  }
}

export function eventOf({ reference, error }: BigQueryJob): BigQueryJobEvent {
  return error ? { status: 'failed', job: reference, error } : { status: 'done', job: reference };
}
