import type { RedshiftData } from '@aws-sdk/client-redshift-data';
import type { AwsService } from '../aws/aws-service.ts';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';

export const redshiftDataService: AwsService<RedshiftData> = {
  name: 'Redshift Data',
  load: async () => (await import('@aws-sdk/client-redshift-data')).RedshiftData,
};

export const redshiftDataWaiter: AwsWaiter<RedshiftData, string> = {
  name: 'Redshift statement',
  service: redshiftDataService,
  request: (redshift, statementId) => redshift.describeStatement({ Id: statementId }),
  acceptors: acceptStates('Status', { success: ['FINISHED'], failure: ['FAILED', 'ABORTED'] }),
  reasons: ['Error'],
  delay: '10s',
  cancel: (redshift, statementId) => redshift.cancelStatement({ Id: statementId }),
};
