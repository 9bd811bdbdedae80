import type { TriggerContext } from '@windhover/core';
import { type BigQueryTableArgs, BigQueryTableSensor } from './bigquery-table-sensor.ts';

/** Waits until a table exists. */
export class BigQueryTableExistenceSensor extends BigQueryTableSensor<BigQueryTableArgs> {
  async poke(context: TriggerContext): Promise<boolean> {
    return (await this.hook(context).getTable(this.table())) !== undefined;
  }
}
