import type { SageMaker } from '@aws-sdk/client-sagemaker';
import type { AwsService } from '../aws/aws-service.ts';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';

export const sageMakerService: AwsService<SageMaker> = {
  name: 'SageMaker',
  load: async () => (await import('@aws-sdk/client-sagemaker')).SageMaker,
};

export const trainingJobWaiter: AwsWaiter<SageMaker, string> = sageMakerWaiter('Training', {
  request: (sageMaker, name) => sageMaker.describeTrainingJob({ TrainingJobName: name }),
  cancel: (sageMaker, name) => sageMaker.stopTrainingJob({ TrainingJobName: name }),
});

export const processingJobWaiter: AwsWaiter<SageMaker, string> = sageMakerWaiter('Processing', {
  request: (sageMaker, name) => sageMaker.describeProcessingJob({ ProcessingJobName: name }),
  cancel: (sageMaker, name) => sageMaker.stopProcessingJob({ ProcessingJobName: name }),
});

export const transformJobWaiter: AwsWaiter<SageMaker, string> = sageMakerWaiter('Transform', {
  request: (sageMaker, name) => sageMaker.describeTransformJob({ TransformJobName: name }),
  cancel: (sageMaker, name) => sageMaker.stopTransformJob({ TransformJobName: name }),
});

function sageMakerWaiter(
  kind: 'Training' | 'Processing' | 'Transform',
  calls: Pick<AwsWaiter<SageMaker, string>, 'request' | 'cancel'>,
): AwsWaiter<SageMaker, string> {
  return {
    name: `SageMaker ${kind.toLowerCase()} job`,
    service: sageMakerService,
    ...calls,
    acceptors: acceptStates(`${kind}JobStatus`, { success: ['Completed'], failure: ['Failed', 'Stopped'] }),
    reasons: ['FailureReason', 'ExitMessage'],
    delay: '30s',
  };
}
