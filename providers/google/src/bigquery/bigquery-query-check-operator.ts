import type { Context, Json } from '@windhover/core';
import type { BigQueryJobArgs } from './bigquery-job-operator.ts';
import { BigQuerySubmitOperator } from './bigquery-submit-operator.ts';
import { CheckFailedError } from './check-failed-error.ts';
import type { BigQueryJobConfiguration, BigQueryJobReference } from './job.ts';
import type { BigQueryRow } from './rows.ts';

/** What every check takes. */
export interface BigQueryQueryArgs extends BigQueryJobArgs {
  /** Default: false, GoogleSQL. */
  readonly useLegacySql?: boolean;
  /** Labels of the job, beside those that name its DAG and task. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** `queryParameters` of BigQuery's REST API. Default: none. */
  readonly queryParams?: readonly Json[];
  /** `destinationEncryptionConfiguration` of BigQuery's REST API. Default: none. */
  readonly encryptionConfiguration?: Readonly<Record<string, Json>>;
}

/** Runs one query and judges its rows. The rows are read on the worker, not sent with the event. */
export abstract class BigQueryQueryCheckOperator<Args extends BigQueryQueryArgs> extends BigQuerySubmitOperator<
  readonly BigQueryRow[],
  Args
> {
  protected abstract sqlText(context: Context): string;

  /** What is wrong with the rows, each in words; nothing means that the check passes. */
  protected abstract judge(rows: readonly BigQueryRow[]): readonly string[];

  protected configuration(context: Context): BigQueryJobConfiguration {
    const { useLegacySql = false, labels, queryParams, encryptionConfiguration } = this.args;
    return {
      query: {
        query: this.sqlText(context),
        useLegacySql,
        ...(queryParams ? { queryParameters: queryParams } : {}),
        ...(encryptionConfiguration ? { destinationEncryptionConfiguration: encryptionConfiguration } : {}),
      },
      ...(labels ? { labels } : {}),
    };
  }

  protected async complete(context: Context, job: BigQueryJobReference): Promise<readonly BigQueryRow[]> {
    // A check looks at the first row or two; a query that answers a million by mistake does not fill the worker.
    const rows = await this.patiently(context, () => this.hook(context).readRows(job, 100));
    const findings = rows.length === 0 ? ['the query returned zero rows'] : this.judge(rows);
    if (findings.length > 0) throw new CheckFailedError(this.taskId, findings, this.sqlText(context));
    return rows;
  }
}
