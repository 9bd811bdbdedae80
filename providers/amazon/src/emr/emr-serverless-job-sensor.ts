import type { EMRServerless } from '@aws-sdk/client-emr-serverless';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { type EmrServerlessJob, emrServerlessJobWaiter } from './emr-serverless-job-waiter.ts';

/** Waits for a job run of EMR Serverless that somebody else has started. */
export class EmrServerlessJobSensor extends AwsWaiterSensor<EmrServerlessJob, EMRServerless, EmrServerlessJob> {
  protected readonly waiter = emrServerlessJobWaiter;

  protected handle(): EmrServerlessJob {
    return { applicationId: this.args.applicationId, jobRunId: this.args.jobRunId };
  }
}
