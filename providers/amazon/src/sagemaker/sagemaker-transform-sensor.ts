import type { SageMaker } from '@aws-sdk/client-sagemaker';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { transformJobWaiter } from './sagemaker-job-waiters.ts';

/** Waits for a transform job of SageMaker that somebody else has started. */
export class SageMakerTransformSensor extends AwsWaiterSensor<{ jobName: string }, SageMaker> {
  protected readonly waiter = transformJobWaiter;

  protected handle(): string {
    return this.args.jobName;
  }
}
