export { BatchJobTrigger } from './batch-job-trigger.ts';
export { batchService } from './batch-job-waiter.ts';
export { BatchOperator, type BatchOperatorArgs } from './batch-operator.ts';
export { BatchSensor } from './batch-sensor.ts';
