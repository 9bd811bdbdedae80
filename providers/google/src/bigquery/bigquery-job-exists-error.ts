import { WindhoverError } from '@windhover/core';
import { type BigQueryJob, formatJob } from './job.ts';

/** Equal work of this task and date has a job already, and the task may not wait for it. */
export class BigQueryJobExistsError extends WindhoverError {
  readonly code = 'E_BIGQUERY_JOB_EXISTS';
  readonly job: BigQueryJob;

  constructor(job: BigQueryJob, cause: unknown) {
    const advice =
      job.state === 'DONE'
        ? 'Its work is done; set forceRerun to do it again.'
        : `Add "${job.state}" to reattachStates to wait for it, or set forceRerun to run another one.`;
    super(`BigQuery job ${formatJob(job.reference)} exists already and is ${job.state}. ${advice}`, { cause });
    this.job = job;
  }
}
