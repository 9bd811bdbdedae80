import type { Context } from '@windhover/core';
import { type BigQueryQueryArgs, BigQueryQueryCheckOperator } from './bigquery-query-check-operator.ts';
import type { BigQueryRow } from './rows.ts';

export interface BigQueryIntervalCheckArgs extends BigQueryQueryArgs {
  readonly table: string;
  /** SQL expression → how large its ratio may grow: `{ 'count(*)': 1.5 }`. */
  readonly metricsThresholds: Readonly<Record<string, number>>;
  /** Default: `ds`. */
  readonly dateFilterColumn?: string;
  /** How many days before the run's date to compare with. Default: 7. */
  readonly daysBack?: number;
  /** `maxOverMin`: the larger divided by the smaller. `relativeDiff`: the change, as a part of the earlier. Default: `maxOverMin`. */
  readonly ratioFormula?: 'maxOverMin' | 'relativeDiff';
  /** Whether a metric passes where one of its two values is 0. Default: true. */
  readonly ignoreZero?: boolean;
}

/** Compares metrics of a table on the run's date with those some days before. One job asks for both. */
export class BigQueryIntervalCheckOperator extends BigQueryQueryCheckOperator<BigQueryIntervalCheckArgs> {
  protected sqlText({ logicalDate }: Context): string {
    const { table, dateFilterColumn = 'ds', daysBack = 7 } = this.args;
    const metrics = this.metrics().map((metric, index) => `${metric} as metric_${index}`);
    const on = (period: string, date: Date) =>
      `select '${period}' as period, ${metrics.join(', ')} from ${table} where ${dateFilterColumn} = '${date.toISOString().slice(0, 10)}'`;
    const before = new Date(logicalDate.getTime() - Math.abs(daysBack) * 86_400_000);
    return `${on('current', logicalDate)} union all ${on('reference', before)}`;
  }

  protected judge(rows: readonly BigQueryRow[]): readonly string[] {
    const { metricsThresholds, ignoreZero = true, ratioFormula = 'maxOverMin' } = this.args;
    const valuesOf = (period: string) => rows.find((row) => row.period === period) ?? {};
    const [current, reference] = [valuesOf('current'), valuesOf('reference')];
    return this.metrics().flatMap((metric, index) => {
      const [now, then] = [Number(current[`metric_${index}`] ?? 0), Number(reference[`metric_${index}`] ?? 0)];
      const threshold = metricsThresholds[metric]!;
      if (now === 0 || then === 0) return ignoreZero ? [] : [`${metric} was ${then} and is ${now}`];
      const ratio = RATIOS[ratioFormula](now, then);
      return ratio < threshold ? [] : [`${metric} was ${then} and is ${now}, a ratio of ${ratio} (limit ${threshold})`];
    });
  }

  private metrics(): readonly string[] {
    return Object.keys(this.args.metricsThresholds).sort();
  }
}

const RATIOS = {
  maxOverMin: (now: number, then: number) => Math.max(now, then) / Math.min(now, then),
  relativeDiff: (now: number, then: number) => Math.abs(now - then) / Math.abs(then),
} as const;
