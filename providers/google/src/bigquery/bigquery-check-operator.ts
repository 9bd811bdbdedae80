import { type BigQueryQueryArgs, BigQueryQueryCheckOperator } from './bigquery-query-check-operator.ts';
import type { BigQueryRow } from './rows.ts';

export interface BigQueryCheckArgs extends BigQueryQueryArgs {
  readonly sql: string;
}

/** Passes if every value of the first row is true: not 0, not empty, not null, not false. */
export class BigQueryCheckOperator extends BigQueryQueryCheckOperator<BigQueryCheckArgs> {
  protected sqlText(): string {
    return this.args.sql;
  }

  protected judge([first]: readonly BigQueryRow[]): readonly string[] {
    return Object.entries(first!)
      .filter(([, value]) => !value || Number(value) === 0)
      .map(([name, value]) => `${name} is ${JSON.stringify(value)}`);
  }
}
