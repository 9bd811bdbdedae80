import { type BigQueryQueryArgs, BigQueryQueryCheckOperator } from './bigquery-query-check-operator.ts';
import type { BigQueryRow, BigQueryValue } from './rows.ts';

/** How many nulls, distinct values or repeated values a column has, its least and its greatest value. */
export type ColumnCheckName = 'nullCheck' | 'distinctCheck' | 'uniqueCheck' | 'min' | 'max';

/** What the number must be; all that are given must hold. */
export interface ColumnCondition {
  readonly equalTo?: number;
  readonly greaterThan?: number;
  readonly geqTo?: number;
  readonly lessThan?: number;
  readonly leqTo?: number;
  /** How far `equalTo` may be off, as a part of it. Default: 0. */
  readonly tolerance?: number;
}

export interface BigQueryColumnCheckArgs extends BigQueryQueryArgs {
  readonly table: string;
  /** `{ amount: { nullCheck: { equalTo: 0 }, min: { greaterThan: 0 } } }` */
  readonly columnMapping: Readonly<Record<string, Readonly<Partial<Record<ColumnCheckName, ColumnCondition>>>>>;
  /** What follows `where`, to check a part of the table. Default: the whole table. */
  readonly partitionClause?: string;
  /** Whether a number that is null, as for an empty table, counts as 0. Default: true. */
  readonly acceptNone?: boolean;
}

/** Checks columns of a table, all with one query. */
export class BigQueryColumnCheckOperator extends BigQueryQueryCheckOperator<BigQueryColumnCheckArgs> {
  protected sqlText(): string {
    const { table, partitionClause } = this.args;
    const measures = this.checks().map(({ column, check }, index) => `${MEASURES[check](column)} as check_${index}`);
    return `select ${measures.join(', ')} from ${table}${partitionClause ? ` where ${partitionClause}` : ''}`;
  }

  protected judge([first]: readonly BigQueryRow[]): readonly string[] {
    return this.checks().flatMap(({ column, check, condition }, index) => {
      const found = this.numberOf(first![`check_${index}`] ?? null);
      const broken = brokenConditions(found, condition);
      return broken.length === 0 ? [] : [`${check} of ${column} is ${found}, not ${broken.join(' and ')}`];
    });
  }

  private checks() {
    return Object.entries(this.args.columnMapping).flatMap(([column, checks]) =>
      Object.entries(checks).map(([check, condition]) => ({ column, check: check as ColumnCheckName, condition })),
    );
  }

  private numberOf(value: BigQueryValue): number | null {
    if (value === null) return (this.args.acceptNone ?? true) ? 0 : null;
    return Number(value);
  }
}

const MEASURES: Record<ColumnCheckName, (column: string) => string> = {
  nullCheck: (column) => `sum(case when ${column} is null then 1 else 0 end)`,
  distinctCheck: (column) => `count(distinct ${column})`,
  uniqueCheck: (column) => `count(${column}) - count(distinct ${column})`,
  min: (column) => `min(${column})`,
  max: (column) => `max(${column})`,
};

function brokenConditions(found: number | null, condition: ColumnCondition): readonly string[] {
  const { equalTo, greaterThan, geqTo, lessThan, leqTo, tolerance = 0 } = condition;
  const tests: readonly (readonly [limit: number | undefined, words: string, holds: (limit: number) => boolean])[] = [
    [equalTo, 'equal to', (limit) => Math.abs(found! - limit) <= Math.abs(limit * tolerance)],
    [greaterThan, 'greater than', (limit) => found! > limit],
    [geqTo, 'at least', (limit) => found! >= limit],
    [lessThan, 'less than', (limit) => found! < limit],
    [leqTo, 'at most', (limit) => found! <= limit],
  ];
  return tests.flatMap(([limit, words, holds]) =>
    limit === undefined || (found !== null && holds(limit)) ? [] : [`${words} ${limit}`],
  );
}
