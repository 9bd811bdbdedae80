import type { Batch } from '@aws-sdk/client-batch';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { batchJobWaiter } from './batch-job-waiter.ts';

/** Waits for a Batch job that somebody else has submitted. */
export class BatchSensor extends AwsWaiterSensor<{ jobId: string }, Batch> {
  protected readonly waiter = batchJobWaiter;

  protected handle(): string {
    return this.args.jobId;
  }
}
