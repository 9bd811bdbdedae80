import type { SFN } from '@aws-sdk/client-sfn';
import { type Context, InvalidOptionError, type Json } from '@windhover/core';
import { AwsJobOperator } from '../aws/aws-job-operator.ts';
import { executionWaiter } from './execution-waiter.ts';
import { StepFunctionsExecutionTrigger } from './step-functions-execution-trigger.ts';

export interface StepFunctionStartExecutionOperatorArgs {
  readonly stateMachineArn: string;
  /** The name of the execution, unique for the state machine. Default: one is made. */
  readonly name?: string;
  /** Default: {}. */
  readonly stateMachineInput?: Json;
  /** Goes on with the failed execution `name` where it stopped, and starts no new one. Default: false. */
  readonly isRedriveExecution?: boolean;
}

/** Runs a state machine of Step Functions. Its result is the ARN of the execution. */
export class StepFunctionStartExecutionOperator extends AwsJobOperator<
  string,
  StepFunctionStartExecutionOperatorArgs,
  SFN
> {
  protected readonly waiter = executionWaiter;
  protected readonly trigger = StepFunctionsExecutionTrigger;

  protected async submit(sfn: SFN, context: Context, token: string): Promise<string> {
    const { stateMachineArn, name, stateMachineInput = {}, isRedriveExecution = false } = this.args;
    if (!isRedriveExecution) {
      const input = JSON.stringify(stateMachineInput);
      // An execution of the same name and input is the same execution: submitting again is harmless.
      return (await sfn.startExecution({ stateMachineArn, name: name ?? token, input })).executionArn!;
    }
    if (name === undefined)
      throw new InvalidOptionError(`Task "${context.taskId}"`, 'isRedriveExecution', 'it needs the `name` to redrive');
    const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
    await sfn.redriveExecution({ executionArn, clientToken: token });
    return executionArn;
  }

  protected complete(executionArn: string): string {
    return executionArn;
  }
}
