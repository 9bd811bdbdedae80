import { type BigQueryQueryArgs, BigQueryQueryCheckOperator } from './bigquery-query-check-operator.ts';
import type { BigQueryRow, BigQueryValue } from './rows.ts';

export interface BigQueryValueCheckArgs extends BigQueryQueryArgs {
  readonly sql: string;
  readonly passValue: number | string;
  /** How far a number may be off, as a part of it: 0.1 allows 10 %. Default: 0. */
  readonly tolerance?: number;
}

/** Passes if every value of the first row equals `passValue`, for numbers within a tolerance. */
export class BigQueryValueCheckOperator extends BigQueryQueryCheckOperator<BigQueryValueCheckArgs> {
  protected sqlText(): string {
    return this.args.sql;
  }

  protected judge([first]: readonly BigQueryRow[]): readonly string[] {
    const { passValue, tolerance = 0 } = this.args;
    const wanted = tolerance === 0 ? `${passValue}` : `${passValue} ± ${tolerance * 100} %`;
    return Object.entries(first!)
      .filter(([, value]) => !passes(value, passValue, tolerance))
      .map(([name, value]) => `${name} is ${String(value)}, not ${wanted}`);
  }
}

function passes(value: BigQueryValue, passValue: number | string, tolerance: number): boolean {
  if (typeof passValue === 'string') return String(value) === passValue;
  const margin = Math.abs(passValue * tolerance);
  return value !== null && Math.abs(Number(value) - passValue) <= margin;
}
