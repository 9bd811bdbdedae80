import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { type GlueJobRun, glueJobWaiter } from './glue-job-waiter.ts';

/** Waits for a run of a Glue job, and stops it when its task is killed. */
export class GlueJobTrigger extends AwsWaiterTrigger<GlueJobRun> {
  static override readonly classpath = '@windhover/provider-amazon/glue#GlueJobTrigger';
  protected readonly waiter = glueJobWaiter;
}
