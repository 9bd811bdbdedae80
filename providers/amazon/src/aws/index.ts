export { AwsConnectionError } from './aws-connection-error.ts';
export { AwsError, type AwsErrorFacts, type AwsErrorKind } from './aws-error.ts';
export { AwsHook } from './aws-hook.ts';
export { AwsJobMissingError } from './aws-job-missing-error.ts';
export { type AwsJobArgs, AwsJobOperator } from './aws-job-operator.ts';
export type { AwsClientConfig, AwsOptions } from './aws-options.ts';
export type { AwsService } from './aws-service.ts';
export {
  type AwsAcceptor,
  type AwsWaiter,
  type AwsWaiterEvent,
  type AwsWaiterKwargs,
  acceptStates,
} from './aws-waiter.ts';
export { AwsWaiterSensor } from './aws-waiter-sensor.ts';
export { AwsWaiterTimeoutError } from './aws-waiter-timeout-error.ts';
export { AwsWaiterTrigger } from './aws-waiter-trigger.ts';
export { stsService } from './sts-service.ts';
