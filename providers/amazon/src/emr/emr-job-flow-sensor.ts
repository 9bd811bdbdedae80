import type { EMR } from '@aws-sdk/client-emr';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { emrJobFlowStepsWaiter, emrJobFlowWaiter } from './emr-job-flow-waiter.ts';

export interface EmrJobFlowSensorArgs {
  readonly jobFlowId: string;
  /** `stepsCompletion` is content with a cluster that waits for more steps. Default: `completion`. */
  readonly waitPolicy?: 'completion' | 'stepsCompletion';
}

/** Waits for an EMR cluster that somebody else has started. */
export class EmrJobFlowSensor extends AwsWaiterSensor<EmrJobFlowSensorArgs, EMR> {
  protected get waiter() {
    return this.args.waitPolicy === 'stepsCompletion' ? emrJobFlowStepsWaiter : emrJobFlowWaiter;
  }

  protected handle(): string {
    return this.args.jobFlowId;
  }
}
