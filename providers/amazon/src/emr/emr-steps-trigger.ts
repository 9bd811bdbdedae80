import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { type EmrSteps, emrStepsWaiter } from './emr-steps-waiter.ts';

/** Waits for steps of an EMR cluster, and cancels all of them when their task is killed. */
export class EmrStepsTrigger extends AwsWaiterTrigger<EmrSteps> {
  static override readonly classpath = '@windhover/provider-amazon/emr#EmrStepsTrigger';
  protected readonly waiter = emrStepsWaiter;
}
