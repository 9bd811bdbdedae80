import type { SageMaker } from '@aws-sdk/client-sagemaker';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { processingJobWaiter } from './sagemaker-job-waiters.ts';

/** Waits for a processing job of SageMaker that somebody else has started. */
export class SageMakerProcessingSensor extends AwsWaiterSensor<{ jobName: string }, SageMaker> {
  protected readonly waiter = processingJobWaiter;

  protected handle(): string {
    return this.args.jobName;
  }
}
