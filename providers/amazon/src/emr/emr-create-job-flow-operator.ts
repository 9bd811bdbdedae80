import type { EMR, RunJobFlowInput } from '@aws-sdk/client-emr';
import { AwsJobOperator } from '../aws/aws-job-operator.ts';
import { EmrJobFlowStepsTrigger } from './emr-job-flow-steps-trigger.ts';
import { EmrJobFlowTrigger } from './emr-job-flow-trigger.ts';
import { emrJobFlowStepsWaiter, emrJobFlowWaiter } from './emr-job-flow-waiter.ts';

export interface EmrCreateJobFlowOperatorArgs {
  /** The request as EMR takes it: `Name`, `ReleaseLabel`, `Instances`, `Steps` and so on. */
  readonly jobFlowOverrides: RunJobFlowInput;
  /**
   * `completion` waits until the cluster has terminated, `stepsCompletion` only for its steps: use that one for a
   * cluster that stays alive. Default: `completion`.
   */
  readonly waitPolicy?: 'completion' | 'stepsCompletion';
}

/** Starts an EMR cluster and waits for it. Its result is the cluster's id. */
export class EmrCreateJobFlowOperator extends AwsJobOperator<string, EmrCreateJobFlowOperatorArgs, EMR> {
  protected get waiter() {
    return this.waitsForStepsOnly ? emrJobFlowStepsWaiter : emrJobFlowWaiter;
  }

  protected get trigger() {
    return this.waitsForStepsOnly ? EmrJobFlowStepsTrigger : EmrJobFlowTrigger;
  }

  protected async submit(emr: EMR): Promise<string> {
    const { JobFlowId } = await emr.runJobFlow(this.args.jobFlowOverrides);
    return JobFlowId!;
  }

  protected complete(jobFlowId: string): string {
    return jobFlowId;
  }

  private get waitsForStepsOnly(): boolean {
    return this.args.waitPolicy === 'stepsCompletion';
  }
}
