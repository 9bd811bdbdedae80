import { type Context, InvalidOptionError, type OperatorOptions, type TemplatedArgs } from '@windhover/core';
import { type BigQueryJobArgs, BigQueryJobOperator } from './bigquery-job-operator.ts';
import type { BigQueryJobReference } from './job.ts';
import type { BigQueryRow, BigQueryValue } from './rows.ts';

export interface BigQueryGetDataArgs extends BigQueryJobArgs {
  readonly datasetId?: string;
  readonly tableId?: string;
  /** Default: the project of the job. */
  readonly tableProjectId?: string;
  /** A query's job instead of a table: its id, or the result of a `BigQueryInsertJobOperator`. */
  readonly jobId?: string | BigQueryJobReference;
  /** Default: 100. */
  readonly maxResults?: number;
  /** Names of columns. Default: all. */
  readonly selectedFields?: string | readonly string[];
  /** Rows as objects by column. Default: false, arrays of values. */
  readonly asDict?: boolean;
}

/**
 * Reads rows of a table, or of a query that another task has run. A table is read without a query, which costs nothing;
 * for a query that has not ended it waits, and a kill leaves that query alone: it belongs to another task.
 */
export class BigQueryGetDataOperator extends BigQueryJobOperator<
  readonly (BigQueryRow | readonly BigQueryValue[])[],
  BigQueryGetDataArgs
> {
  constructor(options: OperatorOptions & TemplatedArgs<BigQueryGetDataArgs>) {
    super(options);
    const { jobId, tableId, datasetId } = options;
    if ((jobId === undefined) === (tableId === undefined) || (tableId === undefined) !== (datasetId === undefined)) {
      const reason = 'pass either jobId, or datasetId and tableId';
      throw new InvalidOptionError(`Task "${this.taskId}"`, 'jobId', reason);
    }
  }

  async execute(context: Context) {
    const { jobId, datasetId = '', tableId = '', tableProjectId, projectId, maxResults = 100 } = this.args;
    const hook = this.hook(context);
    if (jobId !== undefined) {
      const reference = await this.reference(context, jobId);
      return this.waitFor(context, await this.patiently(context, () => hook.getJob(reference)));
    }
    const table = { projectId: tableProjectId ?? projectId, datasetId, tableId };
    const selectedFields = this.selectedFields();
    const options = { maxResults, ...(selectedFields ? { selectedFields } : {}) };
    return this.shape(await this.patiently(context, () => hook.listRows(table, options)));
  }

  protected async complete(context: Context, job: BigQueryJobReference) {
    const { maxResults = 100 } = this.args;
    return this.shape(await this.patiently(context, () => this.hook(context).readRows(job, maxResults)));
  }

  protected override cancelsOnKill(): boolean {
    return false;
  }

  private async reference(context: Context, job: string | BigQueryJobReference): Promise<BigQueryJobReference> {
    if (typeof job !== 'string') return job;
    const { location } = this.args;
    const projectId = await this.hook(context).projectId();
    return { projectId, jobId: job, ...(location === undefined ? {} : { location }) };
  }

  private shape(rows: readonly BigQueryRow[]) {
    const fields = this.selectedFields();
    const shown = rows.map((row) =>
      fields ? Object.fromEntries(fields.filter((name) => name in row).map((name) => [name, row[name]!])) : row,
    );
    return this.args.asDict ? shown : shown.map((row) => Object.values(row));
  }

  private selectedFields(): readonly string[] | undefined {
    const { selectedFields } = this.args;
    if (typeof selectedFields !== 'string') return selectedFields;
    return selectedFields.split(',').map((name) => name.trim());
  }
}
