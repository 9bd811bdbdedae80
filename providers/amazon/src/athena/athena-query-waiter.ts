import type { Athena } from '@aws-sdk/client-athena';
import type { AwsService } from '../aws/aws-service.ts';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';

export const athenaService: AwsService<Athena> = {
  name: 'Athena',
  load: async () => (await import('@aws-sdk/client-athena')).Athena,
};

export const athenaQueryWaiter: AwsWaiter<Athena, string> = {
  name: 'Athena query',
  service: athenaService,
  request: (athena, queryExecutionId) => athena.getQueryExecution({ QueryExecutionId: queryExecutionId }),
  acceptors: acceptStates('QueryExecution.Status.State', { success: ['SUCCEEDED'], failure: ['FAILED', 'CANCELLED'] }),
  reasons: ['QueryExecution.Status.StateChangeReason', 'QueryExecution.Status.AthenaError.ErrorMessage'],
  delay: '30s',
  cancel: (athena, queryExecutionId) => athena.stopQueryExecution({ QueryExecutionId: queryExecutionId }),
};
