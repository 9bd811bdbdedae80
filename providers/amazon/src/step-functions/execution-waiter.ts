import type { SFN } from '@aws-sdk/client-sfn';
import type { AwsService } from '../aws/aws-service.ts';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';

export const stepFunctionsService: AwsService<SFN> = {
  name: 'Step Functions',
  load: async () => (await import('@aws-sdk/client-sfn')).SFN,
};

export const executionWaiter: AwsWaiter<SFN, string> = {
  name: 'Step Functions execution',
  service: stepFunctionsService,
  request: (sfn, executionArn) => sfn.describeExecution({ executionArn }),
  acceptors: acceptStates('status', { success: ['SUCCEEDED'], failure: ['FAILED', 'TIMED_OUT', 'ABORTED'] }),
  reasons: ['cause', 'error'],
  delay: '60s',
  maxAttempts: 30,
  cancel: (sfn, executionArn) =>
    sfn.stopExecution({ executionArn, cause: 'The Windhover task that started it was killed.' }),
};
