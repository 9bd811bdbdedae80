import type { EMR } from '@aws-sdk/client-emr';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { type EmrSteps, emrStepsWaiter } from './emr-steps-waiter.ts';

/** Waits for a step of an EMR cluster that somebody else has added. */
export class EmrStepSensor extends AwsWaiterSensor<{ jobFlowId: string; stepId: string }, EMR, EmrSteps> {
  protected readonly waiter = emrStepsWaiter;

  protected handle(): EmrSteps {
    return { jobFlowId: this.args.jobFlowId, stepIds: [this.args.stepId] };
  }
}
