import { randomUUID } from 'node:crypto';
import { BaseOperator, type Context, type Duration, type TriggerEvent } from '@windhover/core';
import type { SnowflakeParameter, SnowflakeRow } from './rows.ts';
import { SnowflakeQueryTrigger } from './snowflake-query-trigger.ts';
import { SnowflakeSessions } from './snowflake-sessions.ts';
import { pickOverrides, type SnowflakeOverrides } from './snowflake-settings.ts';
import type { StatementEnd } from './snowflake-sql-api-hook.ts';
import { PATIENCE, queryIdsOf, queryTag } from './statement-end.ts';

export interface SnowflakeArgs extends SnowflakeOverrides {
  /** One statement, or a list of them. */
  readonly sql: string | readonly string[];
  /** Values for `?`, in each of the statements. Default: none. */
  readonly parameters?: readonly SnowflakeParameter[];
  /** Default: `snowflake_default`. */
  readonly snowflakeConnId?: string;
  /** Makes the result from the rows of a statement. Default: the rows. */
  readonly handler?: (rows: readonly SnowflakeRow[]) => unknown;
  /** False gives the results of all statements as a list. Default: true, that of the last. */
  readonly returnLast?: boolean;
  /** False holds the worker while the queries run. Default: true. */
  readonly deferrable?: boolean;
  /** Default: 5 seconds. */
  readonly pollInterval?: Duration;
}

/**
 * Runs SQL through Snowflake's driver: works with a password too, where the SQL API needs a key or a token. Statements
 * of a list run one after the other, each in a session of its own; for a script that needs one session, take
 * `SnowflakeSqlApiOperator`.
 */
export class SnowflakeOperator extends BaseOperator<unknown, SnowflakeArgs> {
  // Known while the task is on a worker, for a kill there.
  private queryId: string | undefined;

  execute(context: Context): Promise<unknown> {
    return this.goOn(context, []);
  }

  executeComplete(context: Context, event: TriggerEvent<StatementEnd>, kwargs: { done: readonly string[] }) {
    return this.goOn(context, [...kwargs.done, ...queryIdsOf(event.payload)]);
  }

  override async onKill(context: Context): Promise<void> {
    const { queryId } = this;
    if (queryId !== undefined)
      await this.withSession(context, (session) => session.use((hook) => hook.cancel(queryId)));
  }

  private goOn(context: Context, before: readonly string[]): Promise<unknown> {
    return this.withSession(context, async (session) => {
      const { sql, deferrable = true, pollInterval = '5s' } = this.args;
      const done = [...before];
      for (const statement of [sql].flat().slice(before.length)) {
        const queryId = await this.submit(context, session, statement);
        this.queryId = queryId;
        if (deferrable)
          this.defer({ trigger: this.trigger(context, queryId), resume: this.executeComplete, kwargs: { done } });
        const finished = () => session.use((hook) => hook.finishedQuery(queryId));
        done.push(...queryIdsOf(await context.poll(finished, { interval: pollInterval })));
      }
      return this.results(context, session, done);
    });
  }

  private async submit(context: Context, session: SnowflakeSessions, sql: string): Promise<string> {
    const { parameters = [] } = this.args;
    const requestId = await context.step('request', () => randomUUID());
    return context.step('submit', () =>
      context.poll(() => session.use((hook) => hook.submit(sql, parameters, requestId)), PATIENCE),
    );
  }

  private async results(context: Context, session: SnowflakeSessions, queryIds: readonly string[]): Promise<unknown> {
    const { returnLast = true, handler = (rows) => rows } = this.args;
    const results: unknown[] = [];
    for (const queryId of returnLast ? queryIds.slice(-1) : queryIds) {
      const rows = await context.poll(() => session.use((hook) => hook.readRows(queryId)), PATIENCE);
      results.push(handler(rows));
    }
    return returnLast ? results[0] : results;
  }

  private trigger(context: Context, handle: string): SnowflakeQueryTrigger {
    const { pollInterval = '5s' } = this.args;
    return new SnowflakeQueryTrigger({ handle, pollInterval, ...this.session(context) });
  }

  private session(context: Context) {
    const { snowflakeConnId = 'snowflake_default', sessionParameters } = this.args;
    const tagged = { QUERY_TAG: queryTag(context), ...sessionParameters };
    return { snowflakeConnId, overrides: { ...pickOverrides(this.args), sessionParameters: tagged } };
  }

  private async withSession<T>(context: Context, use: (session: SnowflakeSessions) => Promise<T>): Promise<T> {
    const session = new SnowflakeSessions(context, this.session(context));
    try {
      return await use(session);
    } finally {
      await session.close();
    }
  }
}
