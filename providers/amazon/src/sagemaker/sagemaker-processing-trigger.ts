import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { processingJobWaiter } from './sagemaker-job-waiters.ts';

/** Waits for a processing job of SageMaker, and stops it when its task is killed. */
export class SageMakerProcessingTrigger extends AwsWaiterTrigger {
  static override readonly classpath = '@windhover/provider-amazon/sagemaker#SageMakerProcessingTrigger';
  protected readonly waiter = processingJobWaiter;
}
