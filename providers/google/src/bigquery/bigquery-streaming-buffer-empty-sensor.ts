import { TaskFailed, type TriggerContext } from '@windhover/core';
import { formatTable } from './bigquery-hook.ts';
import { type BigQueryTableArgs, BigQueryTableSensor } from './bigquery-table-sensor.ts';

/** Waits until all streamed rows of a table have left its buffer, so that DML can change them. */
export class BigQueryStreamingBufferEmptySensor extends BigQueryTableSensor<BigQueryTableArgs> {
  async poke(context: TriggerContext): Promise<boolean> {
    const table = await this.hook(context).getTable(this.table());
    if (table) return !table.hasStreamingBuffer;
    throw new TaskFailed(
      `Table ${formatTable(this.table())} does not exist, so its streaming buffer will never be empty. ` +
        'Check its name; to wait for the table itself there is BigQueryTableExistenceSensor.',
    );
  }
}
