import type { EMR } from '@aws-sdk/client-emr';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';
import { emrService } from './emr-service.ts';

/** Until the cluster has done its work and is gone. */
export const emrJobFlowWaiter: AwsWaiter<EMR, string> = emrClusterWaiter(['TERMINATED']);

/** Until its steps are done: it then waits for more, or is gone if it does not stay alive. */
export const emrJobFlowStepsWaiter: AwsWaiter<EMR, string> = emrClusterWaiter(['WAITING', 'TERMINATED']);

function emrClusterWaiter(success: readonly string[]): AwsWaiter<EMR, string> {
  return {
    name: 'EMR cluster',
    service: emrService,
    request: (emr, jobFlowId) => emr.describeCluster({ ClusterId: jobFlowId }),
    acceptors: acceptStates('Cluster.Status.State', { success, failure: ['TERMINATED_WITH_ERRORS'] }),
    reasons: ['Cluster.Status.StateChangeReason.Message', 'Cluster.Status.StateChangeReason.Code'],
    delay: '60s',
    maxAttempts: 4200,
    cancel: (emr, jobFlowId) => emr.terminateJobFlows({ JobFlowIds: [jobFlowId] }),
  };
}
