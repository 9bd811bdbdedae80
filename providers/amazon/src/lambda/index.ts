export { LambdaFunctionStateSensor } from './lambda-function-state-sensor.ts';
export {
  LambdaInvokeFunctionOperator,
  type LambdaInvokeFunctionOperatorArgs,
} from './lambda-invoke-function-operator.ts';
export { lambdaService } from './lambda-service.ts';
