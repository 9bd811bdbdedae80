import { dag } from '@windhover/core';
import { BigQueryCheckOperator, BigQueryInsertJobOperator } from '@windhover/provider-google/bigquery';
import { GCSObjectExistenceSensor } from '@windhover/provider-google/gcs';

export const sales = dag('sales', { schedule: '@daily', startDate: new Date('2026-01-01') }, () => {
  const landed = new GCSObjectExistenceSensor({ taskId: 'landed', bucket: 'landing', object: 'orders.csv' });
  const load = new BigQueryInsertJobOperator({
    taskId: 'load',
    configuration: {
      load: {
        sourceUris: ['gs://landing/orders.csv'],
        sourceFormat: 'CSV',
        destinationTable: { projectId: 'proj', datasetId: 'sales', tableId: 'orders' },
        writeDisposition: 'WRITE_TRUNCATE',
      },
    },
  });
  const check = new BigQueryCheckOperator({ taskId: 'check', sql: 'select count(*) from sales.orders' });
  landed.before(load).before(check);
});
