import type { EMR, StepSummary } from '@aws-sdk/client-emr';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';
import { emrService } from './emr-service.ts';

export interface EmrSteps {
  readonly jobFlowId: string;
  readonly stepIds: readonly string[];
}

export const emrStepsWaiter: AwsWaiter<EMR, EmrSteps> = {
  name: 'EMR steps',
  service: emrService,
  request: listSteps,
  acceptors: acceptStates('Steps[].Status.State', {
    success: ['COMPLETED'],
    failure: ['FAILED', 'CANCELLED', 'INTERRUPTED'],
  }),
  reasons: [
    'Steps[].Status.FailureDetails.Message',
    'Steps[].Status.FailureDetails.Reason',
    'Steps[].Status.StateChangeReason.Message',
  ],
  delay: '30s',
  maxAttempts: 4200,
  cancel: (emr, { jobFlowId, stepIds }) => emr.cancelSteps({ ClusterId: jobFlowId, StepIds: [...stepIds] }),
};

/** All steps in one request for each ten of them, which is the most that EMR takes. */
async function listSteps(emr: EMR, { jobFlowId, stepIds }: EmrSteps): Promise<{ Steps: StepSummary[] }> {
  const steps: StepSummary[] = [];
  for (let start = 0; start < stepIds.length; start += 10) {
    const { Steps = [] } = await emr.listSteps({ ClusterId: jobFlowId, StepIds: stepIds.slice(start, start + 10) });
    steps.push(...Steps);
  }
  return { Steps: steps };
}
