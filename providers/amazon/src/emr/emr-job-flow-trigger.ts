import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { emrJobFlowWaiter } from './emr-job-flow-waiter.ts';

/** Waits until an EMR cluster has terminated, and terminates it when its task is killed. */
export class EmrJobFlowTrigger extends AwsWaiterTrigger {
  static override readonly classpath = '@windhover/provider-amazon/emr#EmrJobFlowTrigger';
  protected readonly waiter = emrJobFlowWaiter;
}
