import type { Json } from '@windhover/core';

/** What BigQuery calls a job: all three parts are needed to find it again. */
export interface BigQueryJobReference {
  readonly projectId: string;
  readonly jobId: string;
  /** Undefined: BigQuery's default, the US and EU multi-regions. */
  readonly location?: string;
}

/** `configuration` of a job as BigQuery's REST API has it: `{ query: { query, useLegacySql: false } }`, `{ load: … }` … */
export type BigQueryJobConfiguration = Readonly<Record<string, Json>>;

export interface BigQueryJobError {
  readonly reason: string;
  readonly message: string;
  /** Default: BigQuery did not say where. */
  readonly location?: string;
}

/** A job, as far as it matters here. */
export interface BigQueryJob {
  readonly reference: BigQueryJobReference;
  readonly state: 'PENDING' | 'RUNNING' | 'DONE';
  readonly labels: Readonly<Record<string, string>>;
  /** Why the job as a whole failed. Default: it did not. */
  readonly error?: BigQueryJobError;
}

export function formatJob({ projectId, location, jobId }: BigQueryJobReference): string {
  return `${projectId}:${location === undefined ? '' : `${location}.`}${jobId}`;
}
