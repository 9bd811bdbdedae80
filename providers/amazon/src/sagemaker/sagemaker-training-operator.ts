import type { CreateTrainingJobRequest, SageMaker } from '@aws-sdk/client-sagemaker';
import { SageMakerJobOperator } from './sagemaker-job-operator.ts';
import { trainingJobWaiter } from './sagemaker-job-waiters.ts';
import { SageMakerTrainingTrigger } from './sagemaker-training-trigger.ts';

/** Trains a model on SageMaker. Its result is what SageMaker says of the job. */
export class SageMakerTrainingOperator extends SageMakerJobOperator<CreateTrainingJobRequest> {
  protected readonly waiter = trainingJobWaiter;
  protected readonly trigger = SageMakerTrainingTrigger;

  protected jobName(): string {
    return this.args.config.TrainingJobName!;
  }

  protected create(sageMaker: SageMaker, name: string): Promise<unknown> {
    return sageMaker.createTrainingJob({ ...this.args.config, TrainingJobName: name });
  }
}
