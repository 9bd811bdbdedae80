import type { Athena, QueryExecutionContext, ResultConfiguration } from '@aws-sdk/client-athena';
import type { Context } from '@windhover/core';
import { AwsJobOperator } from '../aws/aws-job-operator.ts';
import { athenaQueryWaiter } from './athena-query-waiter.ts';
import { AthenaTrigger } from './athena-trigger.ts';

export interface AthenaOperatorArgs {
  readonly query: string;
  readonly database: string;
  /** Default: `AwsDataCatalog`. */
  readonly catalog?: string;
  /** Where the results go: `s3://bucket/folder/`. Default: that of the workgroup. */
  readonly outputLocation?: string;
  /** Default: `primary`. */
  readonly workgroup?: string;
  /** What else Athena takes there, such as encryption. Default: {}. */
  readonly resultConfiguration?: ResultConfiguration;
  readonly queryExecutionContext?: QueryExecutionContext;
}

/** Runs a query on Athena. Its result is the id of the query. */
export class AthenaOperator extends AwsJobOperator<string, AthenaOperatorArgs, Athena> {
  protected readonly waiter = athenaQueryWaiter;
  protected readonly trigger = AthenaTrigger;

  protected async submit(athena: Athena, _context: Context, token: string): Promise<string> {
    const { query, database, catalog = 'AwsDataCatalog', outputLocation, workgroup = 'primary' } = this.args;
    const { QueryExecutionId } = await athena.startQueryExecution({
      QueryString: query,
      QueryExecutionContext: { Database: database, Catalog: catalog, ...this.args.queryExecutionContext },
      ResultConfiguration: { OutputLocation: outputLocation, ...this.args.resultConfiguration },
      WorkGroup: workgroup,
      ClientRequestToken: token,
    });
    return QueryExecutionId!;
  }

  protected complete(queryExecutionId: string): string {
    return queryExecutionId;
  }
}
