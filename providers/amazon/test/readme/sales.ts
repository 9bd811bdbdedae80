import { dag, template } from '@windhover/core';
import { BatchOperator } from '@windhover/provider-amazon/batch';
import { S3KeySensor } from '@windhover/provider-amazon/s3';

export const sales = dag('sales', { schedule: '@daily', startDate: new Date('2026-01-01') }, () => {
  const landed = new S3KeySensor({
    taskId: 'landed',
    bucketKey: template(({ logicalDate }) => `s3://landing/sales/${logicalDate.toISOString().slice(0, 10)}/*.csv`),
    wildcardMatch: true,
    timeout: '8h',
  });
  const load = new BatchOperator({ taskId: 'load', jobName: 'load', jobDefinition: 'load:7', jobQueue: 'default' });
  landed.before(load);
});
