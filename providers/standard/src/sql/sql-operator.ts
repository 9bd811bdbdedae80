import { BaseOperator, type Context } from '@windhover/core';
import { PostgresHook, type SqlRow } from './postgres-hook.ts';

export interface SqlArgs {
  /** One statement, or several that run in order. */
  readonly sql: string | readonly string[];
  /** For `$1`, `$2` … of a single statement. Default: none. */
  readonly parameters?: readonly unknown[];
  /** Commits each statement by itself. Default: false, all or nothing. */
  readonly autocommit?: boolean;
  /** Default: `postgres_default`. */
  readonly connId?: string;
}

/**
 * Runs SQL on PostgreSQL, holding its worker: the server has no job that one could come back to. The result are the rows
 * of the last statement. When the task is to end, the statement is cancelled on the server.
 *
 * ```ts
 * new SqlOperator({ taskId: 'purge', sql: 'delete from events where day < $1 returning id', parameters: [day] });
 * ```
 */
export class SqlOperator extends BaseOperator<readonly SqlRow[], SqlArgs> {
  async execute(context: Context): Promise<readonly SqlRow[]> {
    const { sql, parameters = [], autocommit = false, connId = 'postgres_default' } = this.args;
    const texts = typeof sql === 'string' ? [sql] : sql;
    const statements = texts.map((text) => ({ sql: text, parameters: texts.length === 1 ? parameters : [] }));
    const results = await new PostgresHook(context, connId).run(statements, { autocommit, signal: context.signal });
    return results.at(-1) ?? [];
  }
}
