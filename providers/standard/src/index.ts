// Every public name of @windhover/provider-standard. `test/public-api.test.ts` pins this list.

export { BashCommandError } from './bash/bash-command-error.ts';
export { type BashArgs, BashOperator } from './bash/bash-operator.ts';
export { type DagRunEvent, DagRunTrigger, type DagRunTriggerKwargs } from './dag-run/dag-run-trigger.ts';
export type { ExternalState, ExternalStateQuery } from './dag-run/external-state.ts';
export { ExternalTaskFailedError } from './dag-run/external-task-failed-error.ts';
export { ExternalTaskSensor, type ExternalTaskSensorArgs } from './dag-run/external-task-sensor.ts';
export { ExternalTaskTrigger, type ExternalTaskTriggerKwargs } from './dag-run/external-task-trigger.ts';
export { LatestOnlyOperator } from './dag-run/latest-only-operator.ts';
export { type TriggerDagRunArgs, TriggerDagRunOperator } from './dag-run/trigger-dag-run-operator.ts';
export { FileSensor } from './file/file-sensor.ts';
export { FileTrigger, type FileTriggerKwargs } from './file/file-trigger.ts';
export type { FileQuery } from './file/find-files.ts';
export { type BranchArgs, BranchOperator } from './flow/branch-operator.ts';
export { EmptyOperator } from './flow/empty-operator.ts';
export { type ShortCircuitArgs, ShortCircuitOperator } from './flow/short-circuit-operator.ts';
export type { SensorWaitKwargs } from './sensor-wait.ts';
export { PostgresError } from './sql/postgres-error.ts';
export { PostgresHook, type PostgresServer, type SqlRow, type SqlStatement } from './sql/postgres-hook.ts';
export { type SqlArgs, SqlOperator } from './sql/sql-operator.ts';
export { SqlSensor, type SqlSensorArgs } from './sql/sql-sensor.ts';
export { DateTimeSensor, type DateTimeSensorArgs } from './time/date-time-sensor.ts';
export { TimeDeltaSensor, type TimeDeltaSensorArgs } from './time/time-delta-sensor.ts';
export { TimeSensor, type TimeSensorArgs } from './time/time-sensor.ts';
export { WaitSensor, type WaitSensorArgs } from './time/wait-sensor.ts';
