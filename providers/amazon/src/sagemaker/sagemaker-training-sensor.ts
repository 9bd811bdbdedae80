import type { SageMaker } from '@aws-sdk/client-sagemaker';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { trainingJobWaiter } from './sagemaker-job-waiters.ts';

/** Waits for a training job of SageMaker that somebody else has started. */
export class SageMakerTrainingSensor extends AwsWaiterSensor<{ jobName: string }, SageMaker> {
  protected readonly waiter = trainingJobWaiter;

  protected handle(): string {
    return this.args.jobName;
  }
}
