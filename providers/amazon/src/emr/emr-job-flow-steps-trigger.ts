import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { emrJobFlowStepsWaiter } from './emr-job-flow-waiter.ts';

/** Waits until an EMR cluster has done its steps, and terminates it when its task is killed. */
export class EmrJobFlowStepsTrigger extends AwsWaiterTrigger {
  static override readonly classpath = '@windhover/provider-amazon/emr#EmrJobFlowStepsTrigger';
  protected readonly waiter = emrJobFlowStepsWaiter;
}
