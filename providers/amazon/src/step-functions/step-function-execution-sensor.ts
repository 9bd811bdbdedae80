import type { SFN } from '@aws-sdk/client-sfn';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { executionWaiter } from './execution-waiter.ts';

/** Waits for an execution of a state machine that somebody else has started. */
export class StepFunctionExecutionSensor extends AwsWaiterSensor<{ executionArn: string }, SFN> {
  protected readonly waiter = executionWaiter;

  protected handle(): string {
    return this.args.executionArn;
  }
}
