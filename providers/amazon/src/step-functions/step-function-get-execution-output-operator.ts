import { BaseOperator, type Context, type Json } from '@windhover/core';
import { AwsHook } from '../aws/aws-hook.ts';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import { stepFunctionsService } from './execution-waiter.ts';

/** Its result is what an execution of a state machine gave, or the error in which it ended. */
export class StepFunctionGetExecutionOutputOperator extends BaseOperator<
  Json | undefined,
  { executionArn: string } & AwsOptions
> {
  async execute(context: Context): Promise<Json | undefined> {
    const sfn = await new AwsHook(context, awsOptionsOf(this.args), stepFunctionsService).client();
    const { output, error } = await sfn.describeExecution({ executionArn: this.args.executionArn });
    return output === undefined ? error : (JSON.parse(output) as Json);
  }
}
