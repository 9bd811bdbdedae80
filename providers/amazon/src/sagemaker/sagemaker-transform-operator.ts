import type { CreateTransformJobRequest, SageMaker } from '@aws-sdk/client-sagemaker';
import { SageMakerJobOperator } from './sagemaker-job-operator.ts';
import { transformJobWaiter } from './sagemaker-job-waiters.ts';
import { SageMakerTransformTrigger } from './sagemaker-transform-trigger.ts';

/** Runs a batch transform on SageMaker. Its result is what SageMaker says of the job. */
export class SageMakerTransformOperator extends SageMakerJobOperator<CreateTransformJobRequest> {
  protected readonly waiter = transformJobWaiter;
  protected readonly trigger = SageMakerTransformTrigger;

  protected jobName(): string {
    return this.args.config.TransformJobName!;
  }

  protected create(sageMaker: SageMaker, name: string): Promise<unknown> {
    return sageMaker.createTransformJob({ ...this.args.config, TransformJobName: name });
  }
}
