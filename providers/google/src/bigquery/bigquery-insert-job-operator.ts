import type { Context } from '@windhover/core';
import type { BigQueryJobArgs } from './bigquery-job-operator.ts';
import { BigQuerySubmitOperator, type SubmissionOptions } from './bigquery-submit-operator.ts';
import type { BigQueryJobConfiguration, BigQueryJobReference } from './job.ts';

export interface BigQueryInsertJobArgs extends BigQueryJobArgs, SubmissionOptions {
  /** As BigQuery's REST API has it: `{ query: { query: 'select 1', useLegacySql: false } }`, `{ load: … }` … */
  readonly configuration: BigQueryJobConfiguration;
}

/**
 * Runs a BigQuery job: query, load, extract or copy. Its result says where the job is, for
 * `BigQueryGetDataOperator` and others.
 *
 * ```ts
 * new BigQueryInsertJobOperator({
 *   taskId: 'merge',
 *   configuration: { query: { query: 'merge …', useLegacySql: false } },
 * });
 * ```
 */
export class BigQueryInsertJobOperator extends BigQuerySubmitOperator<BigQueryJobReference, BigQueryInsertJobArgs> {
  protected configuration(): BigQueryJobConfiguration {
    return this.args.configuration;
  }

  protected override submission(): SubmissionOptions {
    return this.args;
  }

  protected async complete(_context: Context, job: BigQueryJobReference): Promise<BigQueryJobReference> {
    return job;
  }
}
