import type { Lambda } from '@aws-sdk/client-lambda';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { lambdaService } from './lambda-service.ts';

interface LambdaFunction {
  readonly functionName: string;
  /** A version or an alias. Default: `$LATEST`. */
  readonly qualifier?: string;
}

const lambdaFunctionWaiter: AwsWaiter<Lambda, LambdaFunction> = {
  name: 'Lambda function',
  service: lambdaService,
  request: (lambda, { functionName, qualifier }) =>
    lambda.getFunction({ FunctionName: functionName, Qualifier: qualifier }),
  acceptors: acceptStates('Configuration.State', { success: ['Active'], failure: ['Failed'] }),
  reasons: ['Configuration.StateReason'],
  delay: '60s',
  // A function is not work that could be ended.
  cancel: async () => {},
};

/** Waits until a Lambda function can be called: a new or changed one takes a while. */
export class LambdaFunctionStateSensor extends AwsWaiterSensor<LambdaFunction, Lambda, LambdaFunction> {
  protected readonly waiter = lambdaFunctionWaiter;

  protected handle(): LambdaFunction {
    const { functionName, qualifier } = this.args;
    return { functionName, ...(qualifier === undefined ? {} : { qualifier }) };
  }
}
