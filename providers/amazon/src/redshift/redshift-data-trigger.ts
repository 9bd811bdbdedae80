import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { redshiftDataWaiter } from './redshift-data-waiter.ts';

/** Waits for a statement of the Redshift Data API, and cancels it when its task is killed. */
export class RedshiftDataTrigger extends AwsWaiterTrigger {
  static override readonly classpath = '@windhover/provider-amazon/redshift#RedshiftDataTrigger';
  protected readonly waiter = redshiftDataWaiter;
}
