// Every public name of @windhover/provider-snowflake. `test/public-api.test.ts` pins this list.

export type { SnowflakeBinding, SnowflakeParameter, SnowflakeRow, SnowflakeValue } from './rows.ts';
export { SnowflakeError, type SnowflakeErrorFacts } from './snowflake-error.ts';
export { SnowflakeHook } from './snowflake-hook.ts';
export { type SnowflakeArgs, SnowflakeOperator } from './snowflake-operator.ts';
export { SnowflakeQueryTrigger, type SnowflakeQueryTriggerKwargs } from './snowflake-query-trigger.ts';
export { SnowflakeSensor, type SnowflakeSensorArgs } from './snowflake-sensor.ts';
export type { SnowflakeOverrides } from './snowflake-settings.ts';
export { SnowflakeSqlApiHook, type StatementEnd, type StatementError } from './snowflake-sql-api-hook.ts';
export { type SnowflakeSqlApiArgs, SnowflakeSqlApiOperator } from './snowflake-sql-api-operator.ts';
export { SnowflakeSqlApiTrigger, type SnowflakeSqlApiTriggerKwargs } from './snowflake-sql-api-trigger.ts';
export type { SqlApiStatement, SqlApiTokenOptions } from './sql-api-client.ts';
