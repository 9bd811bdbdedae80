import type { EMRServerless, StartJobRunRequest } from '@aws-sdk/client-emr-serverless';
import type { Context } from '@windhover/core';
import { AwsJobOperator } from '../aws/aws-job-operator.ts';
import { EmrServerlessJobTrigger } from './emr-serverless-job-trigger.ts';
import { type EmrServerlessJob, emrServerlessJobWaiter } from './emr-serverless-job-waiter.ts';

export interface EmrServerlessStartJobOperatorArgs
  extends Pick<
    StartJobRunRequest,
    'configurationOverrides' | 'executionTimeoutMinutes' | 'jobDriver' | 'mode' | 'retryPolicy' | 'tags'
  > {
  readonly applicationId: string;
  readonly executionRoleArn: string;
  /** Default: none. */
  readonly name?: string;
}

/** Runs a job on EMR Serverless. Its result is the id of the job run. */
export class EmrServerlessStartJobOperator extends AwsJobOperator<
  string,
  EmrServerlessStartJobOperatorArgs,
  EMRServerless,
  EmrServerlessJob
> {
  protected readonly waiter = emrServerlessJobWaiter;
  protected readonly trigger = EmrServerlessJobTrigger;

  protected async submit(emr: EMRServerless, _context: Context, clientToken: string): Promise<EmrServerlessJob> {
    const { applicationId, jobRunId } = await emr.startJobRun({ ...this.request(), clientToken });
    return { applicationId: applicationId!, jobRunId: jobRunId! };
  }

  protected complete({ jobRunId }: EmrServerlessJob): string {
    return jobRunId;
  }
}
