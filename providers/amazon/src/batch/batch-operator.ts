import type { Batch, SubmitJobRequest } from '@aws-sdk/client-batch';
import { AwsJobOperator } from '../aws/aws-job-operator.ts';
import { BatchJobTrigger } from './batch-job-trigger.ts';
import { batchJobWaiter } from './batch-job-waiter.ts';

export interface BatchOperatorArgs
  extends Pick<
    SubmitJobRequest,
    | 'arrayProperties'
    | 'containerOverrides'
    | 'dependsOn'
    | 'ecsPropertiesOverride'
    | 'eksPropertiesOverride'
    | 'nodeOverrides'
    | 'parameters'
    | 'propagateTags'
    | 'retryStrategy'
    | 'schedulingPriorityOverride'
    | 'shareIdentifier'
    | 'tags'
    | 'timeout'
  > {
  readonly jobName: string;
  readonly jobDefinition: string;
  readonly jobQueue: string;
}

/** Runs a Batch job. Its result is the job's id. */
export class BatchOperator extends AwsJobOperator<string, BatchOperatorArgs, Batch> {
  protected readonly waiter = batchJobWaiter;
  protected readonly trigger = BatchJobTrigger;

  protected async submit(batch: Batch): Promise<string> {
    const { jobId } = await batch.submitJob(this.request());
    return jobId!;
  }

  protected complete(jobId: string): string {
    return jobId;
  }
}
