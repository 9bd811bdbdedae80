import { BaseSensor, type PokeResult, TaskFailed, type TriggerContext } from '@windhover/core';
import { bindingsOf, type SnowflakeParameter, type SnowflakeRow, type SnowflakeValue } from './rows.ts';
import { SnowflakeSessions } from './snowflake-sessions.ts';
import { pickOverrides, readSettings, type SnowflakeOverrides } from './snowflake-settings.ts';
import { SnowflakeSqlApiHook } from './snowflake-sql-api-hook.ts';

export interface SnowflakeSensorArgs extends SnowflakeOverrides {
  readonly sql: string;
  /** Values for `?`. Default: none. */
  readonly parameters?: readonly SnowflakeParameter[];
  /** Default: `snowflake_default`. */
  readonly snowflakeConnId?: string;
  /** Whether the first value of the first row is what is waited for. Default: it is not 0, '0', empty or null. */
  readonly success?: (value: SnowflakeValue) => boolean;
  /** Whether that value means that it will never come; asked before `success`. Default: never. */
  readonly failure?: (value: SnowflakeValue) => boolean;
  /** Fails when a query answers no rows. Default: false, it goes on waiting. */
  readonly failOnEmpty?: boolean;
}

/**
 * Runs a query again and again until its first value says yes; that value is its result. Between two queries lies
 * always the `pokeInterval`, because each one may wake a warehouse.
 */
export class SnowflakeSensor extends BaseSensor<SnowflakeValue, SnowflakeSensorArgs> {
  async poke(context: TriggerContext): Promise<PokeResult<SnowflakeValue>> {
    const { failOnEmpty = false, failure, success = isTrue } = this.args;
    const [first] = await this.rows(context);
    if (!first) {
      if (failOnEmpty)
        throw new TaskFailed(`The query of sensor "${this.taskId}" answered no rows, and failOnEmpty is set.`);
      return { isDone: false };
    }
    const value = Object.values(first)[0] ?? null;
    if (failure?.(value))
      throw new TaskFailed(`Sensor "${this.taskId}" found ${String(value)}, which its failure says is the end.`);
    return success(value) ? { isDone: true, xcom: value } : { isDone: false };
  }

  /** Over the SQL API where the connection allows it, because that needs no login; with a password by the driver. */
  private async rows(context: TriggerContext): Promise<readonly SnowflakeRow[]> {
    const { sql, parameters = [], snowflakeConnId = 'snowflake_default' } = this.args;
    const overrides = pickOverrides(this.args);
    const { privateKey, token } = await readSettings(await context.connection(snowflakeConnId), overrides);
    if (privateKey !== undefined || token !== undefined) {
      const hook = new SnowflakeSqlApiHook(context, snowflakeConnId, overrides);
      return hook.query({ sql, bindings: bindingsOf(parameters) }, context.signal);
    }
    const session = new SnowflakeSessions(context, { snowflakeConnId, overrides });
    try {
      return await session.use((hook) => hook.query(sql, parameters));
    } finally {
      await session.close();
    }
  }
}

function isTrue(value: SnowflakeValue): boolean {
  return Boolean(value) && value !== '0';
}
