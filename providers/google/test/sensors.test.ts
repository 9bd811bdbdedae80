import { runOperator, testSensor, testTrigger, VirtualClock } from '@windhover/core/testing';
import { startGoogleCloud } from '@windhover/testing-services';
import { describe, expect, test } from 'vitest';
import {
  BigQueryStreamingBufferEmptySensor,
  BigQueryTableExistenceSensor,
  BigQueryTablePartitionExistenceSensor,
} from '../src/bigquery/index.ts';
import {
  GCSObjectExistenceSensor,
  GCSObjectsWithPrefixExistenceSensor,
  GCSObjectUpdateSensor,
  GCSUploadSessionCompleteSensor,
  GCSUploadSessionCompleteTrigger,
} from '../src/gcs/index.ts';
import { connectionTo, googleBackend, PROJECT } from './support/google-backend.ts';

const AFTER_THE_INTERVAL = new Date('2026-01-02T00:00:01.000Z');
const YEARS_AGO = new Date('2020-01-01T00:00:00.000Z');

const backend = googleBackend(async ({ bigQuery, gcs }) => {
  await bigQuery.sql(PROJECT, 'create schema sales');
  await bigQuery.sql(PROJECT, `create table sales.orders as select 1 as id, date '2026-01-01' as ds`);
  bigQuery.partitionColumns.set('sales.orders', 'ds');
  gcs.put('landing', 'in/data.csv', 'id\n1', AFTER_THE_INTERVAL);
  gcs.put('uploads', 'in/a.csv', 'a', YEARS_AGO);
});
const streaming = googleBackend(async ({ bigQuery }) => {
  await bigQuery.sql(PROJECT, 'create schema sales');
  await bigQuery.sql(PROJECT, 'create table sales.orders as select 1 as id');
  bigQuery.streamingBuffers.add('sales.orders');
});
const table = { datasetId: 'sales', tableId: 'orders' };

const suites = {
  BigQueryTableExistenceSensor: {
    backend,
    make: (options: { taskId: string }) => new BigQueryTableExistenceSensor({ ...table, ...options }),
  },
  BigQueryTablePartitionExistenceSensor: {
    backend,
    make: (options: { taskId: string }) =>
      new BigQueryTablePartitionExistenceSensor({ ...table, partitionId: '20260101', ...options }),
  },
  BigQueryStreamingBufferEmptySensor: {
    backend: streaming,
    make: (options: { taskId: string }) => new BigQueryStreamingBufferEmptySensor({ ...table, ...options }),
  },
  GCSObjectExistenceSensor: {
    backend,
    make: (options: { taskId: string }) =>
      new GCSObjectExistenceSensor({ bucket: 'landing', object: 'in/data.csv', ...options }),
  },
  'GCSObjectExistenceSensor with a glob': {
    backend,
    make: (options: { taskId: string }) =>
      new GCSObjectExistenceSensor({ bucket: 'landing', object: '**/*.csv', useGlob: true, ...options }),
  },
  GCSObjectUpdateSensor: {
    backend,
    make: (options: { taskId: string }) =>
      new GCSObjectUpdateSensor({ bucket: 'landing', object: 'in/data.csv', ...options }),
  },
  GCSObjectsWithPrefixExistenceSensor: {
    backend,
    make: (options: { taskId: string }) =>
      new GCSObjectsWithPrefixExistenceSensor({ bucket: 'landing', prefix: 'in/', ...options }),
  },
  GCSUploadSessionCompleteSensor: {
    backend,
    make: (options: { taskId: string }) =>
      new GCSUploadSessionCompleteSensor({ bucket: 'uploads', prefix: 'in/', ...options }),
  },
};

describe.each(Object.entries(suites))('%s', (_name, suite) => {
  for (const { name, run } of testSensor({
    backend: suite.backend,
    sensor: (_backend, options) => suite.make(options),
  }))
    test(name, run);
});

describe('GCSUploadSessionCompleteTrigger', () => {
  for (const { name, run } of testTrigger({
    load: (specifier) => import(specifier),
    interval: '60s',
    backend,
    trigger: () =>
      new GCSUploadSessionCompleteTrigger({
        bucket: 'uploads',
        prefix: 'in/',
        rules: { inactivityMs: 60_000, minObjects: 1, allowDelete: false },
        pollInterval: '60s',
        gcpConnId: 'google_cloud_default',
        seenBefore: [],
      }),
  }))
    test(name, run);
});

describe('an upload session', () => {
  async function scene() {
    const clock = new VirtualClock();
    const google = await startGoogleCloud({ now: () => clock.now() });
    return { clock, google, connections: { google_cloud_default: connectionTo(google) } };
  }

  test.each(['defer', 'poke', 'reschedule'] as const)(
    'is not complete while an object is written over, in mode %s',
    async (mode) => {
      const { clock, google, connections } = await scene();
      google.gcs.put('uploads', 'in/a.csv');
      clock.at('50m', () => google.gcs.put('uploads', 'in/a.csv', 'again'));
      const sensor = new GCSUploadSessionCompleteSensor({ taskId: 'wait', bucket: 'uploads', prefix: 'in/', mode });
      const run = await runOperator(sensor, { clock, connections });
      expect(run).toMatchObject({ state: 'success', result: ['in/a.csv'], elapsedMs: 110 * 60_000 });
      await google.stop();
    },
  );

  test('waits for the objects it needs', async () => {
    const { clock, google, connections } = await scene();
    google.gcs.put('uploads', 'in/a.csv', '', YEARS_AGO);
    clock.at('3h', () => google.gcs.put('uploads', 'in/b.csv'));
    const sensor = new GCSUploadSessionCompleteSensor({
      taskId: 'wait',
      bucket: 'uploads',
      prefix: 'in/',
      minObjects: 2,
    });
    const run = await runOperator(sensor, { clock, connections });
    expect(run).toMatchObject({ state: 'success', elapsedMs: 4 * 3_600_000 });
    await google.stop();
  });

  test.each(['defer', 'poke'] as const)('fails on a deletion where none is allowed, in mode %s', async (mode) => {
    const { clock, google, connections } = await scene();
    google.gcs.put('uploads', 'in/a.csv');
    google.gcs.put('uploads', 'in/b.csv');
    clock.at('10m', () => google.gcs.remove('uploads', 'in/b.csv'));
    const options = { taskId: 'wait', bucket: 'uploads', prefix: 'in/', allowDelete: false, mode };
    const run = await runOperator(new GCSUploadSessionCompleteSensor(options), {
      clock,
      connections,
      restartTriggerEvery: '7m',
    });
    expect(run.state).toBe('failed');
    expect(run.error?.message).toContain('1 object(s) were deleted while their upload was awaited: in/b.csv');
    await google.stop();
  });

  test('cannot be rescheduled where no deletion is allowed', () => {
    const options = { taskId: 'wait', bucket: 'b', prefix: 'p', allowDelete: false, mode: 'reschedule' } as const;
    expect(() => new GCSUploadSessionCompleteSensor(options)).toThrow('remembers nothing');
  });
});

test('sensors read all pages of a listing', async () => {
  const google = await startGoogleCloud({ pageSize: 10 });
  for (let number = 0; number < 35; number += 1) google.gcs.put('landing', `in/${String(number).padStart(2, '0')}`);
  const sensor = new GCSObjectsWithPrefixExistenceSensor({ taskId: 'wait', bucket: 'landing', prefix: 'in/' });
  const { result } = await runOperator(sensor, { connections: { google_cloud_default: connectionTo(google) } });
  expect(result).toHaveLength(35);
  expect(google.server.count(/pageToken/)).toBe(3);
  await google.stop();
});
