import { BaseSensor, type PokeResult, TaskFailed, type TriggerContext } from '@windhover/core';
import { PostgresHook, type SqlRow } from './postgres-hook.ts';

export interface SqlSensorArgs {
  /** A query; the first column of its first row decides. */
  readonly sql: string;
  /** For `$1`, `$2` … Default: none. */
  readonly parameters?: readonly unknown[];
  /** Picks what decides from the first row. Default: its first column. */
  readonly selector?: (row: SqlRow) => unknown;
  /** Whether the wait is over. Default: anything but null, false, 0, `'0'` and an empty text. */
  readonly success?: (value: unknown) => boolean;
  /** Whether it never will be: then the task fails. Asked first. Default: never. */
  readonly failure?: (value: unknown) => boolean;
  /** Fails when the query gives no row. Default: false, it waits on. */
  readonly failOnEmpty?: boolean;
  /** Default: `postgres_default`. */
  readonly connId?: string;
}

/**
 * Waits until a query says so; the result is the value that decided.
 *
 * ```ts
 * new SqlSensor({ taskId: 'loaded', sql: 'select count(*) from sales where day = $1', parameters: [day] });
 * ```
 */
export class SqlSensor extends BaseSensor<unknown, SqlSensorArgs> {
  async poke(context: TriggerContext): Promise<PokeResult<unknown>> {
    const { sql, parameters = [], connId = 'postgres_default', failOnEmpty = false } = this.args;
    const { selector = firstColumn, success = isTruthy, failure = () => false } = this.args;
    const [row] = await new PostgresHook(context, connId).query(sql, parameters, context.signal);
    if (!row) {
      if (failOnEmpty)
        throw new TaskFailed(`The query of sensor "${this.taskId}" gave no row, and failOnEmpty is set.`);
      return { isDone: false };
    }
    const value = selector(row);
    if (failure(value)) {
      throw new TaskFailed(`The query of sensor "${this.taskId}" gave ${String(value)}, which its failure refuses.`);
    }
    return { isDone: success(value), xcom: value };
  }
}

function firstColumn(row: SqlRow): unknown {
  return Object.values(row)[0];
}

/** `numeric` comes as a text, so a zero may be one. */
function isTruthy(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' && value !== '0' : Boolean(value);
}
