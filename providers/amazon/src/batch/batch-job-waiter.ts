import type { Batch } from '@aws-sdk/client-batch';
import type { AwsService } from '../aws/aws-service.ts';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';

export const batchService: AwsService<Batch> = {
  name: 'Batch',
  load: async () => (await import('@aws-sdk/client-batch')).Batch,
};

export const batchJobWaiter: AwsWaiter<Batch, string> = {
  name: 'Batch job',
  service: batchService,
  request: (batch, jobId) => batch.describeJobs({ jobs: [jobId] }),
  acceptors: acceptStates('jobs[].status', { success: ['SUCCEEDED'], failure: ['FAILED'] }),
  reasons: ['jobs[].statusReason', 'jobs[].container.reason'],
  delay: '30s',
  maxAttempts: 4200,
  cancel: (batch, jobId) => batch.terminateJob({ jobId, reason: 'The Windhover task that started it was killed.' }),
};
