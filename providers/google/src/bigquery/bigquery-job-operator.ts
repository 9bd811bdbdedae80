import { BaseOperator, type Context, type Duration, JobFailedError, type TriggerEvent } from '@windhover/core';
import { BigQueryHook } from './bigquery-hook.ts';
import { type BigQueryJobEvent, BigQueryJobTrigger, eventOf } from './bigquery-job-trigger.ts';
import { type BigQueryJob, type BigQueryJobReference, formatJob } from './job.ts';

/** What every operator takes that waits for a BigQuery job. */
export interface BigQueryJobArgs {
  /** Default: `google_cloud_default`. */
  readonly gcpConnId?: string;
  /** Where the job runs and is paid. Default: the project of the connection. */
  readonly projectId?: string;
  /** Default: BigQuery's, by the data it reads. */
  readonly location?: string;
  /** The accounts to act as, the last one in the end. Default: the connection's. */
  readonly impersonationChain?: string | readonly string[];
  /** False holds the worker while the job runs. Default: true. */
  readonly deferrable?: boolean;
  /** Default: 4 seconds. */
  readonly pollInterval?: Duration;
  /** False leaves the job running when the task is killed. Default: true. */
  readonly cancelOnKill?: boolean;
}

/** Waits for a job, deferred or not, with one outcome. Subclasses say which job, and what its end means. */
export abstract class BigQueryJobOperator<Result, Args extends BigQueryJobArgs> extends BaseOperator<Result, Args> {
  // Known while the task is on a worker, for a kill there.
  private waitsFor: BigQueryJobReference | undefined;

  /** What the task returns when its job is done. */
  protected abstract complete(context: Context, job: BigQueryJobReference): Promise<Result>;

  executeComplete(context: Context, event: TriggerEvent<BigQueryJobEvent>): Promise<Result> {
    return this.conclude(context, event.payload);
  }

  override async onKill(context: Context): Promise<void> {
    if (this.waitsFor && this.cancelsOnKill()) await this.hook(context).cancelJob(this.waitsFor);
  }

  protected cancelsOnKill(): boolean {
    return this.args.cancelOnKill ?? true;
  }

  protected hook(context: Context): BigQueryHook {
    const { gcpConnId, projectId, impersonationChain } = this.args;
    return new BigQueryHook(context, gcpConnId, { projectId, impersonationChain });
  }

  /** From now on a kill cancels this job. */
  protected owns(job: BigQueryJobReference | undefined): void {
    this.waitsFor = job;
  }

  protected async waitFor(context: Context, job: BigQueryJob): Promise<Result> {
    if (job.state === 'DONE') return this.conclude(context, eventOf(job));
    const { reference: handle } = job;
    const {
      gcpConnId = 'google_cloud_default',
      impersonationChain,
      deferrable = true,
      pollInterval = '4s',
    } = this.args;
    this.owns(handle);
    if (deferrable) {
      const trigger = new BigQueryJobTrigger({
        handle,
        gcpConnId,
        pollInterval,
        cancelOnKill: this.cancelsOnKill(),
        ...(impersonationChain === undefined ? {} : { impersonationChain }),
      });
      this.defer({ trigger, methodName: 'executeComplete' });
    }
    const hook = this.hook(context);
    return this.conclude(
      context,
      eventOf(await context.poll(() => hook.finishedJob(handle), { interval: pollInterval })),
    );
  }

  /** Reads are tried again like polls, so that a passing failure after hours of waiting does not lose them. */
  protected async patiently<T>(context: Context, request: () => Promise<T>): Promise<T> {
    return (await context.poll(async () => ({ value: await request() }), PATIENCE)).value;
  }

  private async conclude(context: Context, event: BigQueryJobEvent): Promise<Result> {
    if (event.status === 'done') return this.complete(context, event.job);
    const { reason, message, location } = event.error;
    const where = location === undefined ? '' : ` at ${location}`;
    throw new JobFailedError(`BigQuery job ${formatJob(event.job)} failed (${reason}${where}): ${message}`);
  }
}

const PATIENCE = { interval: '1s', exponentialBackoff: true, maxInterval: '30s', maxFailures: 6 } as const;
