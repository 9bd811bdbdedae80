export { GlueJobOperator, type GlueJobOperatorArgs } from './glue-job-operator.ts';
export { GlueJobSensor } from './glue-job-sensor.ts';
export { GlueJobTrigger } from './glue-job-trigger.ts';
export { type GlueJobRun, glueService } from './glue-job-waiter.ts';
