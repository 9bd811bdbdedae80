import { type Duration, JobTrigger, TriggerEvent, type TriggerScope } from '@windhover/core';
import type { SnowflakeOverrides } from './snowflake-settings.ts';
import { SnowflakeSqlApiHook, type StatementEnd } from './snowflake-sql-api-hook.ts';
import type { SqlApiTokenOptions } from './sql-api-client.ts';

export interface SnowflakeSqlApiTriggerKwargs {
  /** The statement handle. */
  readonly handle: string;
  readonly snowflakeConnId: string;
  readonly overrides: SnowflakeOverrides;
  readonly tokenOptions: SqlApiTokenOptions;
  readonly pollInterval: Duration;
}

/** Waits until a statement of the SQL API has ended, well or not. */
export class SnowflakeSqlApiTrigger extends JobTrigger<string, StatementEnd, SnowflakeSqlApiTriggerKwargs> {
  static override readonly classpath = '@windhover/provider-snowflake#SnowflakeSqlApiTrigger';

  async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<StatementEnd>> {
    const { handle, pollInterval } = this.kwargs;
    const hook = this.#hook(scope);
    yield new TriggerEvent(await scope.poll(() => hook.finishedStatement(handle), { interval: pollInterval }));
  }

  async cancel(handle: string, scope: TriggerScope): Promise<void> {
    await this.#hook(scope).cancel(handle);
  }

  #hook(scope: TriggerScope): SnowflakeSqlApiHook {
    const { snowflakeConnId, overrides, tokenOptions } = this.kwargs;
    return new SnowflakeSqlApiHook(scope, snowflakeConnId, overrides, tokenOptions);
  }
}
