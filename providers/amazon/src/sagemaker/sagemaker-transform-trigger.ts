import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { transformJobWaiter } from './sagemaker-job-waiters.ts';

/** Waits for a transform job of SageMaker, and stops it when its task is killed. */
export class SageMakerTransformTrigger extends AwsWaiterTrigger {
  static override readonly classpath = '@windhover/provider-amazon/sagemaker#SageMakerTransformTrigger';
  protected readonly waiter = transformJobWaiter;
}
