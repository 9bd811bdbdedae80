import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { trainingJobWaiter } from './sagemaker-job-waiters.ts';

/** Waits for a training job of SageMaker, and stops it when its task is killed. */
export class SageMakerTrainingTrigger extends AwsWaiterTrigger {
  static override readonly classpath = '@windhover/provider-amazon/sagemaker#SageMakerTrainingTrigger';
  protected readonly waiter = trainingJobWaiter;
}
