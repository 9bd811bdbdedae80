import type { Glue } from '@aws-sdk/client-glue';
import type { AwsService } from '../aws/aws-service.ts';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';

export const glueService: AwsService<Glue> = {
  name: 'Glue',
  load: async () => (await import('@aws-sdk/client-glue')).Glue,
};

export interface GlueJobRun {
  readonly jobName: string;
  readonly runId: string;
}

export const glueJobWaiter: AwsWaiter<Glue, GlueJobRun> = {
  name: 'Glue job run',
  service: glueService,
  request: (glue, { jobName, runId }) => glue.getJobRun({ JobName: jobName, RunId: runId }),
  acceptors: acceptStates('JobRun.JobRunState', {
    success: ['SUCCEEDED'],
    failure: ['FAILED', 'STOPPED', 'TIMEOUT', 'ERROR', 'EXPIRED'],
  }),
  reasons: ['JobRun.ErrorMessage', 'JobRun.StateDetail'],
  delay: '6s',
  cancel: (glue, { jobName, runId }) => glue.batchStopJobRun({ JobName: jobName, JobRunIds: [runId] }),
};
