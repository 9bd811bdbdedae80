export { RedshiftDataOperator, type RedshiftDataOperatorArgs, type RedshiftRow } from './redshift-data-operator.ts';
export { RedshiftDataSensor } from './redshift-data-sensor.ts';
export { RedshiftDataTrigger } from './redshift-data-trigger.ts';
export { redshiftDataService } from './redshift-data-waiter.ts';
