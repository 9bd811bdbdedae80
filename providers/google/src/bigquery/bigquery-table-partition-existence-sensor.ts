import type { TriggerContext } from '@windhover/core';
import { type BigQueryTableArgs, BigQueryTableSensor } from './bigquery-table-sensor.ts';

export interface BigQueryTablePartitionArgs extends BigQueryTableArgs {
  /** As BigQuery names it: `20260101` for a day, `2026010112` for an hour, `40` for a range. */
  readonly partitionId: string;
}

/**
 * Waits until a partition of a table holds a row. It reads one row of the partition, which costs nothing, where a look
 * into INFORMATION_SCHEMA would be a query that is paid at every check.
 */
export class BigQueryTablePartitionExistenceSensor extends BigQueryTableSensor<BigQueryTablePartitionArgs> {
  async poke(context: TriggerContext): Promise<boolean> {
    const { datasetId, tableId } = this.table();
    return this.hook(context).hasRows({ datasetId, tableId: `${tableId}$${this.args.partitionId}` });
  }
}
