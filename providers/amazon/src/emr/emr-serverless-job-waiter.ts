import type { EMRServerless } from '@aws-sdk/client-emr-serverless';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';
import { emrServerlessService } from './emr-service.ts';

export interface EmrServerlessJob {
  readonly applicationId: string;
  readonly jobRunId: string;
}

export const emrServerlessJobWaiter: AwsWaiter<EMRServerless, EmrServerlessJob> = {
  name: 'EMR Serverless job run',
  service: emrServerlessService,
  request: (emr, { applicationId, jobRunId }) => emr.getJobRun({ applicationId, jobRunId }),
  acceptors: acceptStates('jobRun.state', { success: ['SUCCESS'], failure: ['FAILED', 'CANCELLED'] }),
  reasons: ['jobRun.stateDetails'],
  delay: '60s',
  cancel: (emr, { applicationId, jobRunId }) => emr.cancelJobRun({ applicationId, jobRunId }),
};
