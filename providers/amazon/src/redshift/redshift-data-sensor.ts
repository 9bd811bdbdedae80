import type { RedshiftData } from '@aws-sdk/client-redshift-data';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { redshiftDataWaiter } from './redshift-data-waiter.ts';

/** Waits for a statement of the Redshift Data API that somebody else has submitted. */
export class RedshiftDataSensor extends AwsWaiterSensor<{ statementId: string }, RedshiftData> {
  protected readonly waiter = redshiftDataWaiter;

  protected handle(): string {
    return this.args.statementId;
  }
}
