import { randomUUID } from 'node:crypto';
import { BaseOperator, type Context, type Duration, type TriggerEvent } from '@windhover/core';
import type { SnowflakeBinding } from './rows.ts';
import { pickOverrides, type SnowflakeOverrides } from './snowflake-settings.ts';
import { SnowflakeSqlApiHook, type StatementEnd } from './snowflake-sql-api-hook.ts';
import { SnowflakeSqlApiTrigger } from './snowflake-sql-api-trigger.ts';
import type { SqlApiTokenOptions } from './sql-api-client.ts';
import { PATIENCE, queryIdsOf, queryTag } from './statement-end.ts';

export interface SnowflakeSqlApiArgs extends SnowflakeOverrides, SqlApiTokenOptions {
  readonly sql: string;
  /** Default: `snowflake_default`. */
  readonly snowflakeConnId?: string;
  /** How many statements `sql` holds. Default: 0, any number. */
  readonly statementCount?: number;
  /** Values by number: `{ '1': { type: 'FIXED', value: '7' } }`. Needs `statementCount: 1`. Default: none. */
  readonly bindings?: Readonly<Record<string, SnowflakeBinding>>;
  /** After which Snowflake gives up on the statement. Default: as the account says. */
  readonly timeout?: Duration;
  /** False holds the worker while the statement runs. Default: true. */
  readonly deferrable?: boolean;
  /** Default: 5 seconds. */
  readonly pollInterval?: Duration;
}

/**
 * Runs one or more SQL statements over Snowflake's SQL API. Its result is the ids of their queries.
 *
 * ```ts
 * new SnowflakeSqlApiOperator({ taskId: 'merge', sql: 'begin; merge into …; commit;', warehouse: 'LOAD' });
 * ```
 *
 * The id of the request is stored before it is sent: Snowflake does not run a request twice, so that neither a lost
 * answer nor a lost worker pays twice.
 */
export class SnowflakeSqlApiOperator extends BaseOperator<readonly string[], SnowflakeSqlApiArgs> {
  // Known while the task is on a worker, for a kill there.
  private handle: string | undefined;

  async execute(context: Context): Promise<readonly string[]> {
    const { deferrable = true, pollInterval = '5s' } = this.args;
    const hook = this.hook(context);
    const { handle, end } = await this.submit(context, hook);
    this.handle = handle;
    if (end) return queryIdsOf(end);
    if (deferrable) this.defer({ trigger: this.trigger(handle, pollInterval), resume: this.executeComplete });
    return queryIdsOf(await context.poll(() => hook.finishedStatement(handle), { interval: pollInterval }));
  }

  async executeComplete(_context: Context, event: TriggerEvent<StatementEnd>): Promise<readonly string[]> {
    return queryIdsOf(event.payload);
  }

  override async onKill(context: Context): Promise<void> {
    if (this.handle !== undefined) await this.hook(context).cancel(this.handle);
  }

  private async submit(context: Context, hook: SnowflakeSqlApiHook): Promise<{ handle: string; end?: StatementEnd }> {
    let isRetry = true;
    const requestId = await context.step('request', () => {
      isRetry = false;
      return randomUUID();
    });
    const { sql, statementCount = 0, bindings, timeout } = this.args;
    const statement = {
      sql,
      statementCount,
      queryTag: queryTag(context),
      ...(bindings ? { bindings } : {}),
      ...(timeout === undefined ? {} : { timeout }),
    };
    return context.step('submit', () =>
      context.poll(() => {
        const submitted = hook.submit(statement, requestId, isRetry);
        isRetry = true;
        return submitted;
      }, PATIENCE),
    );
  }

  private trigger(handle: string, pollInterval: Duration): SnowflakeSqlApiTrigger {
    const { snowflakeConnId = 'snowflake_default' } = this.args;
    const overrides = pickOverrides(this.args);
    return new SnowflakeSqlApiTrigger({
      handle,
      snowflakeConnId,
      overrides,
      tokenOptions: this.tokenOptions(),
      pollInterval,
    });
  }

  private hook(context: Context): SnowflakeSqlApiHook {
    return new SnowflakeSqlApiHook(context, this.args.snowflakeConnId, pickOverrides(this.args), this.tokenOptions());
  }

  private tokenOptions(): SqlApiTokenOptions {
    const { tokenLifeTime, tokenRenewalDelta } = this.args;
    return { ...(tokenLifeTime ? { tokenLifeTime } : {}), ...(tokenRenewalDelta ? { tokenRenewalDelta } : {}) };
  }
}
