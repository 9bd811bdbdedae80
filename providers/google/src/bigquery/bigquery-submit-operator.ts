import { randomUUID } from 'node:crypto';
import type { Context } from '@windhover/core';
import { GoogleApiError } from '../google-api-error.ts';
import type { BigQueryHook } from './bigquery-hook.ts';
import { BigQueryJobExistsError } from './bigquery-job-exists-error.ts';
import { type BigQueryJobArgs, BigQueryJobOperator } from './bigquery-job-operator.ts';
import type { BigQueryJob, BigQueryJobConfiguration, BigQueryJobReference } from './job.ts';
import { jobLabels, nameJob, SUBMISSION_LABEL } from './job-name.ts';

/** Which job to submit, where another one of its name may be. */
export interface SubmissionOptions {
  /** What the job's name begins with. Default: `windhover_<dag>_<task>_<date>`. */
  readonly jobId?: string;
  /** False gives equal work of one date one name, so that it is not run twice. Default: true. */
  readonly forceRerun?: boolean;
  /** States of such an earlier job in which the task waits for it instead of failing. Default: none. */
  readonly reattachStates?: readonly ('PENDING' | 'RUNNING')[];
}

/**
 * Submits a job of its own and waits for it. The job's name is stored before it is submitted: BigQuery refuses a second
 * job of the name, so that neither a lost answer nor a lost worker pays twice.
 */
export abstract class BigQuerySubmitOperator<Result, Args extends BigQueryJobArgs> extends BigQueryJobOperator<
  Result,
  Args
> {
  protected abstract configuration(context: Context): BigQueryJobConfiguration;

  protected submission(): SubmissionOptions {
    return {};
  }

  async execute(context: Context): Promise<Result> {
    const hook = this.hook(context);
    const configuration = this.configuration(context);
    const named = await context.step('name', () => this.name(context, hook, configuration));
    const labels = { ...(configuration.labels as object | undefined), ...jobLabels(context, named.submission) };
    const job = await context.step('submit', () =>
      this.patiently(context, () => this.submit(hook, named, { ...configuration, labels })),
    );
    return this.waitFor(context, job);
  }

  private async name(context: Context, hook: BigQueryHook, configuration: BigQueryJobConfiguration): Promise<NamedJob> {
    const { location } = this.args;
    const { jobId, forceRerun = true } = this.submission();
    const reference: BigQueryJobReference = {
      projectId: await hook.projectId(),
      jobId: nameJob(context, configuration, { jobId, forceRerun }),
      ...(location === undefined ? {} : { location }),
    };
    return { reference, submission: randomUUID() };
  }

  /** Takes the first name that is free or ours. A failed job keeps its name, but its work is still to be done. */
  private async submit(
    hook: BigQueryHook,
    named: NamedJob,
    configuration: BigQueryJobConfiguration,
  ): Promise<BigQueryJob> {
    const { forceRerun = true, reattachStates = [] } = this.submission();
    for (let number = 1; ; number += 1) {
      const { jobId } = named.reference;
      const reference = { ...named.reference, jobId: number === 1 ? jobId : `${jobId}_${number}` };
      try {
        this.owns(reference);
        return await hook.insertJob(reference, configuration);
      } catch (error) {
        if (!(error instanceof GoogleApiError && error.status === 409)) throw error;
        const job = await hook.getJob(reference);
        // Ours: the answer to an earlier submission was lost.
        if (job.labels[SUBMISSION_LABEL] === named.submission) return job;
        this.owns(undefined);
        if (forceRerun || job.error) continue;
        if (job.state !== 'DONE' && reattachStates.includes(job.state)) return job;
        throw new BigQueryJobExistsError(job, error);
      }
    }
  }
}

interface NamedJob {
  readonly reference: BigQueryJobReference;
  /** Marks the job as this task's own. */
  readonly submission: string;
}
