import type { InvocationResponse } from '@aws-sdk/client-lambda';
import { BaseOperator, type Context, JobFailedError, type Json } from '@windhover/core';
import { AwsError } from '../aws/aws-error.ts';
import { AwsHook } from '../aws/aws-hook.ts';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import { lambdaService } from './lambda-service.ts';

export interface LambdaInvokeFunctionOperatorArgs extends AwsOptions {
  readonly functionName: string;
  /** Default: null. */
  readonly payload?: Json;
  /** A version or an alias. Default: `$LATEST`. */
  readonly qualifier?: string;
  /** `Event` does not wait for the function. Default: `RequestResponse`. */
  readonly invocationType?: 'RequestResponse' | 'Event';
}

/**
 * Calls a Lambda function. Its result is what the function returns, or undefined for `Event`. AWS tells a caller's
 * result only to that caller, while it waits, so there is nothing to defer to: the call holds its worker, fifteen
 * minutes at most. A kill ends the call; AWS has no way to end the function.
 */
export class LambdaInvokeFunctionOperator extends BaseOperator<Json | undefined, LambdaInvokeFunctionOperatorArgs> {
  async execute(context: Context): Promise<Json | undefined> {
    return context.step('invoke', async () => {
      const answer = await context.poll(() => this.invoke(context), { interval: '5s', isTransient: isThrottled });
      const text = answer.Payload ? new TextDecoder().decode(answer.Payload) : '';
      if (answer.FunctionError)
        throw new JobFailedError(
          `Lambda function "${this.args.functionName}" failed (${answer.FunctionError}): ${text}`,
        );
      return text === '' ? undefined : (JSON.parse(text) as Json);
    });
  }

  private async invoke(context: Context): Promise<InvocationResponse> {
    const { functionName, payload, qualifier, invocationType = 'RequestResponse', clientConfig } = this.args;
    // The client must not repeat a call by itself: the function may have run although the answer was lost.
    const options = { ...awsOptionsOf(this.args), clientConfig: { ...clientConfig, maxAttempts: 1 } };
    const lambda = await new AwsHook(context, options, lambdaService).client();
    const request = { FunctionName: functionName, Qualifier: qualifier, InvocationType: invocationType };
    const body = payload === undefined ? {} : { Payload: new TextEncoder().encode(JSON.stringify(payload)) };
    return lambda.invoke({ ...request, ...body }, { abortSignal: context.signal });
  }
}

/** Refused before the function ran. */
function isThrottled(error: unknown): boolean {
  return AwsError.isInstance(error) && error.statusCode === 429;
}
