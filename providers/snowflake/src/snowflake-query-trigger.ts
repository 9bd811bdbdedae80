import { type Duration, JobTrigger, TriggerEvent, type TriggerScope } from '@windhover/core';
import { SnowflakeSessions } from './snowflake-sessions.ts';
import type { SnowflakeOverrides } from './snowflake-settings.ts';
import type { StatementEnd } from './snowflake-sql-api-hook.ts';

export interface SnowflakeQueryTriggerKwargs {
  /** The id of the query. */
  readonly handle: string;
  readonly snowflakeConnId: string;
  readonly overrides: SnowflakeOverrides;
  readonly pollInterval: Duration;
}

/** Waits until a query that the driver submitted has ended, well or not. It holds one session while it waits. */
export class SnowflakeQueryTrigger extends JobTrigger<string, StatementEnd, SnowflakeQueryTriggerKwargs> {
  static override readonly classpath = '@windhover/provider-snowflake#SnowflakeQueryTrigger';

  async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<StatementEnd>> {
    const { handle, pollInterval } = this.kwargs;
    const sessions = new SnowflakeSessions(scope, this.kwargs);
    try {
      const end = await scope.poll(() => sessions.use((hook) => hook.finishedQuery(handle)), {
        interval: pollInterval,
      });
      yield new TriggerEvent(end);
    } finally {
      await sessions.close();
    }
  }

  async cancel(handle: string, scope: TriggerScope): Promise<void> {
    const sessions = new SnowflakeSessions(scope, this.kwargs);
    try {
      await sessions.use((hook) => hook.cancel(handle));
    } finally {
      await sessions.close();
    }
  }
}
