import type { Athena } from '@aws-sdk/client-athena';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { athenaQueryWaiter } from './athena-query-waiter.ts';

/** Waits for a query of Athena that somebody else has started. */
export class AthenaSensor extends AwsWaiterSensor<{ queryExecutionId: string }, Athena> {
  protected readonly waiter = athenaQueryWaiter;

  protected handle(): string {
    return this.args.queryExecutionId;
  }
}
