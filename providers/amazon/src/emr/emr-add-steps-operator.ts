import type { EMR, StepConfig } from '@aws-sdk/client-emr';
import { AwsJobOperator } from '../aws/aws-job-operator.ts';
import { EmrStepsTrigger } from './emr-steps-trigger.ts';
import { type EmrSteps, emrStepsWaiter } from './emr-steps-waiter.ts';

export interface EmrAddStepsOperatorArgs {
  readonly jobFlowId: string;
  readonly steps: readonly StepConfig[];
  /** Default: that of the cluster. */
  readonly executionRoleArn?: string;
}

/** Adds steps to a running EMR cluster and waits for all of them. Its result is their ids. */
export class EmrAddStepsOperator extends AwsJobOperator<readonly string[], EmrAddStepsOperatorArgs, EMR, EmrSteps> {
  protected readonly waiter = emrStepsWaiter;
  protected readonly trigger = EmrStepsTrigger;

  protected async submit(emr: EMR): Promise<EmrSteps> {
    const { jobFlowId, steps, executionRoleArn } = this.args;
    const { StepIds = [] } = await emr.addJobFlowSteps({
      JobFlowId: jobFlowId,
      Steps: [...steps],
      ExecutionRoleArn: executionRoleArn,
    });
    return { jobFlowId, stepIds: StepIds };
  }

  protected complete({ stepIds }: EmrSteps): readonly string[] {
    return stepIds;
  }
}
