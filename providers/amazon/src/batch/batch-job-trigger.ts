import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { batchJobWaiter } from './batch-job-waiter.ts';

/** Waits for a Batch job, and terminates it when its task is killed. */
export class BatchJobTrigger extends AwsWaiterTrigger {
  static override readonly classpath = '@windhover/provider-amazon/batch#BatchJobTrigger';
  protected readonly waiter = batchJobWaiter;
}
