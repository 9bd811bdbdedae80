import type { Field, RedshiftData, SqlParameter } from '@aws-sdk/client-redshift-data';
import type { Context } from '@windhover/core';
import { AwsJobOperator } from '../aws/aws-job-operator.ts';
import { RedshiftDataTrigger } from './redshift-data-trigger.ts';
import { redshiftDataWaiter } from './redshift-data-waiter.ts';

export interface RedshiftDataOperatorArgs {
  readonly database: string;
  /** Several statements run one after the other in one transaction. */
  readonly sql: string | readonly string[];
  /** Either this or `workgroupName`. */
  readonly clusterIdentifier?: string;
  /** Of Redshift Serverless. */
  readonly workgroupName?: string;
  readonly dbUser?: string;
  readonly secretArn?: string;
  /** For one statement: values of `:name` in it. Default: none. */
  readonly parameters?: readonly SqlParameter[];
  readonly statementName?: string;
  /** Tells EventBridge when the statement has ended. Default: false. */
  readonly withEvent?: boolean;
  /** The result of the task is the rows, and not the id of the statement. Default: false. */
  readonly returnSqlResult?: boolean;
}

/** A row by the names of its columns. */
export type RedshiftRow = Readonly<Record<string, string | number | boolean | Uint8Array | null>>;

/** Runs SQL through the Redshift Data API. Its result is the id of the statement, or its rows. */
export class RedshiftDataOperator extends AwsJobOperator<
  string | readonly RedshiftRow[],
  RedshiftDataOperatorArgs,
  RedshiftData
> {
  protected readonly waiter = redshiftDataWaiter;
  protected readonly trigger = RedshiftDataTrigger;

  protected async submit(redshift: RedshiftData, _context: Context, token: string): Promise<string> {
    const { sql, parameters } = this.args;
    const common = {
      Database: this.args.database,
      ClusterIdentifier: this.args.clusterIdentifier,
      WorkgroupName: this.args.workgroupName,
      DbUser: this.args.dbUser,
      SecretArn: this.args.secretArn,
      StatementName: this.args.statementName,
      WithEvent: this.args.withEvent,
      ClientToken: token,
    };
    const { Id } =
      typeof sql === 'string'
        ? await redshift.executeStatement({ ...common, Sql: sql, ...(parameters && { Parameters: [...parameters] }) })
        : await redshift.batchExecuteStatement({ ...common, Sqls: [...sql] });
    return Id!;
  }

  protected async complete(
    statementId: string,
    client: () => Promise<RedshiftData>,
    isDone: boolean,
  ): Promise<string | readonly RedshiftRow[]> {
    return isDone && this.args.returnSqlResult ? readRows(await client(), statementId) : statementId;
  }
}

async function readRows(redshift: RedshiftData, Id: string): Promise<readonly RedshiftRow[]> {
  const rows: RedshiftRow[] = [];
  for (let NextToken: string | undefined, page = 0; page === 0 || NextToken; page += 1) {
    const answer = await redshift.getStatementResult({ Id, ...(NextToken ? { NextToken } : {}) });
    const names = (answer.ColumnMetadata ?? []).map(({ name }, index) => name ?? String(index));
    for (const record of answer.Records ?? [])
      rows.push(Object.fromEntries(record.map((field, index) => [names[index], cellOf(field)])));
    NextToken = answer.NextToken;
  }
  return rows;
}

function cellOf(field: Field): RedshiftRow[string] {
  return field.stringValue ?? field.longValue ?? field.doubleValue ?? field.booleanValue ?? field.blobValue ?? null;
}
