import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { executionWaiter } from './execution-waiter.ts';

/** Waits for an execution of a state machine, and stops it when its task is killed. */
export class StepFunctionsExecutionTrigger extends AwsWaiterTrigger {
  static override readonly classpath = '@windhover/provider-amazon/step-functions#StepFunctionsExecutionTrigger';
  protected readonly waiter = executionWaiter;
}
