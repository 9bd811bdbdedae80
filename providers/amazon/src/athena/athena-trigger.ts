import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { athenaQueryWaiter } from './athena-query-waiter.ts';

/** Waits for a query of Athena, and stops it when its task is killed. */
export class AthenaTrigger extends AwsWaiterTrigger {
  static override readonly classpath = '@windhover/provider-amazon/athena#AthenaTrigger';
  protected readonly waiter = athenaQueryWaiter;
}
