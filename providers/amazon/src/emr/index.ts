export { EmrAddStepsOperator, type EmrAddStepsOperatorArgs } from './emr-add-steps-operator.ts';
export { EmrCreateJobFlowOperator, type EmrCreateJobFlowOperatorArgs } from './emr-create-job-flow-operator.ts';
export { EmrJobFlowSensor, type EmrJobFlowSensorArgs } from './emr-job-flow-sensor.ts';
export { EmrJobFlowStepsTrigger } from './emr-job-flow-steps-trigger.ts';
export { EmrJobFlowTrigger } from './emr-job-flow-trigger.ts';
export { EmrServerlessJobSensor } from './emr-serverless-job-sensor.ts';
export { EmrServerlessJobTrigger } from './emr-serverless-job-trigger.ts';
export type { EmrServerlessJob } from './emr-serverless-job-waiter.ts';
export {
  EmrServerlessStartJobOperator,
  type EmrServerlessStartJobOperatorArgs,
} from './emr-serverless-start-job-operator.ts';
export { emrServerlessService, emrService } from './emr-service.ts';
export { EmrStepSensor } from './emr-step-sensor.ts';
export { EmrStepsTrigger } from './emr-steps-trigger.ts';
export type { EmrSteps } from './emr-steps-waiter.ts';
