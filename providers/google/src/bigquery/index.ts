// Every public name of @windhover/provider-google/bigquery.

export { type BigQueryCheckArgs, BigQueryCheckOperator } from './bigquery-check-operator.ts';
export {
  type BigQueryColumnCheckArgs,
  BigQueryColumnCheckOperator,
  type ColumnCheckName,
  type ColumnCondition,
} from './bigquery-column-check-operator.ts';
export { type BigQueryGetDataArgs, BigQueryGetDataOperator } from './bigquery-get-data-operator.ts';
export { BigQueryHook, type BigQueryTable, type BigQueryTableReference } from './bigquery-hook.ts';
export { type BigQueryInsertJobArgs, BigQueryInsertJobOperator } from './bigquery-insert-job-operator.ts';
export { type BigQueryIntervalCheckArgs, BigQueryIntervalCheckOperator } from './bigquery-interval-check-operator.ts';
export { BigQueryJobExistsError } from './bigquery-job-exists-error.ts';
export type { BigQueryJobArgs } from './bigquery-job-operator.ts';
export {
  type BigQueryJobEvent,
  BigQueryJobTrigger,
  type BigQueryJobTriggerKwargs,
} from './bigquery-job-trigger.ts';
export type { BigQueryQueryArgs } from './bigquery-query-check-operator.ts';
export { BigQueryStreamingBufferEmptySensor } from './bigquery-streaming-buffer-empty-sensor.ts';
export type { SubmissionOptions } from './bigquery-submit-operator.ts';
export { BigQueryTableExistenceSensor } from './bigquery-table-existence-sensor.ts';
export {
  type BigQueryTablePartitionArgs,
  BigQueryTablePartitionExistenceSensor,
} from './bigquery-table-partition-existence-sensor.ts';
export type { BigQueryTableArgs } from './bigquery-table-sensor.ts';
export { type BigQueryValueCheckArgs, BigQueryValueCheckOperator } from './bigquery-value-check-operator.ts';
export { CheckFailedError } from './check-failed-error.ts';
export type { BigQueryJob, BigQueryJobConfiguration, BigQueryJobError, BigQueryJobReference } from './job.ts';
export type { BigQueryRow, BigQueryValue } from './rows.ts';
