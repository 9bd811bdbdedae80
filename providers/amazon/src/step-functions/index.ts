export { stepFunctionsService } from './execution-waiter.ts';
export { StepFunctionExecutionSensor } from './step-function-execution-sensor.ts';
export { StepFunctionGetExecutionOutputOperator } from './step-function-get-execution-output-operator.ts';
export {
  StepFunctionStartExecutionOperator,
  type StepFunctionStartExecutionOperatorArgs,
} from './step-function-start-execution-operator.ts';
export { StepFunctionsExecutionTrigger } from './step-functions-execution-trigger.ts';
