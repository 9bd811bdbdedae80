export { AthenaOperator, type AthenaOperatorArgs } from './athena-operator.ts';
export { athenaService } from './athena-query-waiter.ts';
export { AthenaSensor } from './athena-sensor.ts';
export { AthenaTrigger } from './athena-trigger.ts';
