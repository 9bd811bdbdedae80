import type { CreateProcessingJobRequest, SageMaker } from '@aws-sdk/client-sagemaker';
import { SageMakerJobOperator } from './sagemaker-job-operator.ts';
import { processingJobWaiter } from './sagemaker-job-waiters.ts';
import { SageMakerProcessingTrigger } from './sagemaker-processing-trigger.ts';

/** Runs a processing job on SageMaker. Its result is what SageMaker says of the job. */
export class SageMakerProcessingOperator extends SageMakerJobOperator<CreateProcessingJobRequest> {
  protected readonly waiter = processingJobWaiter;
  protected readonly trigger = SageMakerProcessingTrigger;

  protected jobName(): string {
    return this.args.config.ProcessingJobName!;
  }

  protected create(sageMaker: SageMaker, name: string): Promise<unknown> {
    return sageMaker.createProcessingJob({ ...this.args.config, ProcessingJobName: name });
  }
}
