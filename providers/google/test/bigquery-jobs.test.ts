import { testJobOperator, testTrigger } from '@windhover/core/testing';
import { describe, test } from 'vitest';
import {
  BigQueryCheckOperator,
  BigQueryColumnCheckOperator,
  BigQueryInsertJobOperator,
  BigQueryIntervalCheckOperator,
  type BigQueryJobEvent,
  BigQueryJobTrigger,
  BigQueryValueCheckOperator,
} from '../src/bigquery/index.ts';
import { googleBackend, PROJECT } from './support/google-backend.ts';

const backend = googleBackend(async ({ bigQuery }) => {
  await bigQuery.sql(PROJECT, 'create schema sales');
  await bigQuery.sql(
    PROJECT,
    `create table sales.orders as
    select * from (values (1, 10.0, '2026-01-01'), (2, 20.0, '2026-01-01'), (3, 30.0, '2025-12-25')) as t(id, amount, ds)`,
  );
});
const job = { projectId: PROJECT, jobId: 'job', location: 'US' };
const events: readonly BigQueryJobEvent[] = [
  { status: 'done', job },
  { status: 'failed', job, error: { reason: 'backendError', message: 'It broke' } },
  { status: 'failed', job, error: { reason: 'invalidQuery', message: 'Syntax error', location: 'query' } },
];

describe('BigQueryJobTrigger', () => {
  for (const { name, run } of testTrigger({
    load: (specifier) => import(specifier),
    interval: '4s',
    backend: async (script, clock) => {
      const running = await backend(script, clock);
      const body = { jobReference: job, configuration: { query: { query: 'select 1' } } };
      await fetch(`${running.google.url}/bigquery/v2/projects/${PROJECT}/jobs`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      return running;
    },
    trigger: () =>
      new BigQueryJobTrigger({
        handle: job,
        gcpConnId: 'google_cloud_default',
        pollInterval: '4s',
        cancelOnKill: true,
      }),
  }))
    test(name, run);
});

const operators = {
  BigQueryInsertJobOperator: (options: { taskId: string }) =>
    new BigQueryInsertJobOperator({
      configuration: { query: { query: 'select 1', useLegacySql: false } },
      jobId: 'mine',
      ...options,
    }),
  BigQueryCheckOperator: (options: { taskId: string }) =>
    new BigQueryCheckOperator({ sql: 'select count(*) from sales.orders', ...options }),
  BigQueryValueCheckOperator: (options: { taskId: string }) =>
    new BigQueryValueCheckOperator({ sql: 'select count(*) from sales.orders', passValue: 3, ...options }),
  BigQueryIntervalCheckOperator: (options: { taskId: string }) =>
    new BigQueryIntervalCheckOperator({ table: 'sales.orders', metricsThresholds: { 'count(*)': 2.5 }, ...options }),
  BigQueryColumnCheckOperator: (options: { taskId: string }) =>
    new BigQueryColumnCheckOperator({
      table: 'sales.orders',
      columnMapping: { id: { nullCheck: { equalTo: 0 } } },
      ...options,
    }),
};

describe.each(Object.entries(operators))('%s', (_name, make) => {
  for (const { name, run } of testJobOperator({
    backend,
    events,
    interval: '4s',
    operator: (_backend, options) => make(options),
  }))
    test(name, run);
});
