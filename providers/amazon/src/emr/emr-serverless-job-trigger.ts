import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { type EmrServerlessJob, emrServerlessJobWaiter } from './emr-serverless-job-waiter.ts';

/** Waits for a job run of EMR Serverless, and cancels it when its task is killed. */
export class EmrServerlessJobTrigger extends AwsWaiterTrigger<EmrServerlessJob> {
  static override readonly classpath = '@windhover/provider-amazon/emr#EmrServerlessJobTrigger';
  protected readonly waiter = emrServerlessJobWaiter;
}
