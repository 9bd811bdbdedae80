import { type BaseOperator, bindArgs, Connection, Replay } from '@windhover/core';
import { runOperator, TestHost, until, VirtualClock } from '@windhover/core/testing';
import { CheckScript, type GoogleCloud, startGoogleCloud } from '@windhover/testing-services';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  BigQueryCheckOperator,
  BigQueryColumnCheckOperator,
  BigQueryGetDataOperator,
  BigQueryHook,
  BigQueryInsertJobOperator,
  BigQueryIntervalCheckOperator,
  BigQueryTablePartitionExistenceSensor,
  BigQueryValueCheckOperator,
} from '../src/bigquery/index.ts';
import { connectionTo, PROJECT } from './support/google-backend.ts';

let google: GoogleCloud;
let connections: Record<string, ReturnType<typeof connectionTo>>;

beforeEach(() => begin());
afterEach(() => google.stop());

async function begin(options: Parameters<typeof startGoogleCloud>[0] = {}): Promise<void> {
  google = await startGoogleCloud({ pageSize: 10, ...options });
  connections = { google_cloud_default: connectionTo(google) };
  await google.bigQuery.sql(PROJECT, 'create schema sales');
  await google.bigQuery.sql(
    PROJECT,
    `create table sales.orders as
     select range as id, range * 1.5 as amount, date '2026-01-01' as ds from range(25)
     union all select 100 + range, 1.0, date '2025-12-25' from range(5)`,
  );
}

const query = (sql: string) => ({ query: { query: sql, useLegacySql: false } });
const hook = () =>
  new BigQueryHook({ connection: async (connId) => new Connection(connId, connections.google_cloud_default!) });

describe('BigQueryInsertJobOperator', () => {
  test('a submission whose answer is lost is found again, and runs once', async () => {
    google.server.fail({ on: /^POST .*\/jobs\?/, answer: 'loseAnswer' });
    const sql = 'insert into sales.orders values (999, 1, null)';
    const run = await runOperator(new BigQueryInsertJobOperator({ taskId: 'once', configuration: query(sql) }), {
      connections,
    });
    expect(run).toMatchObject({ state: 'success', tries: 1 });
    expect(google.bigQuery.submitted).toHaveLength(1);
    expect((await google.bigQuery.sql(PROJECT, 'select count(*) from sales.orders where id = 999')).rows).toEqual([
      ['1'],
    ]);
  });

  test('a job outside the default location is found where it is', async () => {
    const operator = new BigQueryInsertJobOperator({ taskId: 'eu', configuration: query('select 1'), location: 'EU' });
    const run = await runOperator(operator, { connections });
    expect(run).toMatchObject({ state: 'success', result: { location: 'EU' } });
  });

  test('a job carries the labels of its DAG and task, beside its own', async () => {
    const configuration = { ...query('select 1'), labels: { team: 'sales' } };
    const run = await runOperator(new BigQueryInsertJobOperator({ taskId: 'Labelled.one', configuration }), {
      connections,
    });
    const { labels } = await hook().getJob(run.result!);
    expect(labels).toMatchObject({ team: 'sales', 'windhover-dag': 'test_dag', 'windhover-task': 'labelled_one' });
  });

  test('a killed task leaves its job running with cancelOnKill: false', async () => {
    await google.stop();
    const clock = new VirtualClock();
    await begin({ checks: new CheckScript(['pending'], () => clock.now()) });
    const operator = new BigQueryInsertJobOperator({
      taskId: 'job',
      configuration: query('select 1'),
      cancelOnKill: false,
    });
    await runOperator(operator, { clock, connections, killAfter: '1m' });
    expect(google.bigQuery.cancelled).toEqual([]);
  });

  test('a dry run ends without a job', async () => {
    const configuration = { ...query('select 1'), dryRun: true };
    const run = await runOperator(new BigQueryInsertJobOperator({ taskId: 'dry', configuration }), { connections });
    expect(run.state).toBe('success');
    expect(google.bigQuery.submitted).toEqual([]);
  });

  test('files of Cloud Storage are loaded into a table', async () => {
    google.gcs.put('landing', 'in/1.csv', 'id,name\n1,a\n2,b\n');
    google.gcs.put('landing', 'in/2.csv', 'id,name\n3,c\n');
    const destinationTable = { projectId: PROJECT, datasetId: 'sales', tableId: 'names' };
    const configuration = { load: { sourceUris: ['gs://landing/in/*.csv'], destinationTable, sourceFormat: 'CSV' } };
    const run = await runOperator(new BigQueryInsertJobOperator({ taskId: 'load', configuration }), { connections });
    expect(run.error?.message).toBeUndefined();
    expect(await hook().listRows({ datasetId: 'sales', tableId: 'names' })).toHaveLength(3);
  });

  test('a query with an error fails with what BigQuery said', async () => {
    const operator = new BigQueryInsertJobOperator({ taskId: 'bad', jobId: 'bad', configuration: query('selec 1') });
    const { error } = await runOperator(operator, { connections });
    expect(error?.code).toBe('E_JOB_FAILED');
    expect(error?.message).toMatch(
      /^BigQuery job proj:US\.bad_[0-9a-f]{32} failed \(invalidQuery at query\): .*Parser Error/,
    );
  });
});

describe('with forceRerun: false', () => {
  const make = (options: { reattachStates?: ('PENDING' | 'RUNNING')[]; sql?: string; taskId?: string } = {}) => {
    const { sql = 'select 1', taskId = 'work', ...rest } = options;
    return new BigQueryInsertJobOperator({ taskId, configuration: query(sql), forceRerun: false, ...rest });
  };

  test('work that is done is not done again, and the task says so', async () => {
    await runOperator(make(), { connections });
    const { error } = await runOperator(make(), { connections });
    expect(error?.code).toBe('E_BIGQUERY_JOB_EXISTS');
    expect(error?.message).toContain('exists already and is DONE. Its work is done; set forceRerun to do it again.');
    expect(google.bigQuery.submitted).toHaveLength(1);
  });

  test('a job that runs is waited for in the states of reattachStates, and in no other', async () => {
    await google.stop();
    const clock = new VirtualClock();
    await begin({ checks: new CheckScript(['pending', 'pending', 'pending', 'pending', 'done'], () => clock.now()) });
    const lost = new BigQueryInsertJobOperator({
      taskId: 'work',
      configuration: query('select 1'),
      forceRerun: false,
      cancelOnKill: false,
    });
    await runOperator(lost, { clock, connections, killAfter: '1s' });
    const { error } = await runOperator(make(), { clock, connections });
    expect(error?.message).toContain('is RUNNING. Add "RUNNING" to reattachStates to wait for it');
    const run = await runOperator(make({ reattachStates: ['RUNNING'] }), { clock, connections });
    expect(run).toMatchObject({ state: 'success', result: { jobId: google.bigQuery.submitted[0] } });
    expect(google.bigQuery.submitted).toHaveLength(1);
  });

  test('a job that failed does not stand in the way of a retry', async () => {
    await runOperator(make({ sql: 'select n from later' }), { connections });
    await google.bigQuery.sql(PROJECT, 'create table later as select 1 as n');
    const run = await runOperator(make({ sql: 'select n from later' }), { connections });
    expect(run.state).toBe('success');
    expect(run.result?.jobId).toMatch(/_2$/);
  });
});

describe('BigQueryGetDataOperator', () => {
  const table = { datasetId: 'sales', tableId: 'orders' };

  test('a table is read over all pages, without a query that costs', async () => {
    const operator = new BigQueryGetDataOperator({
      taskId: 'read',
      ...table,
      maxResults: 23,
      selectedFields: 'id,amount',
    });
    const { result } = await runOperator(operator, { connections });
    expect(result).toHaveLength(23);
    expect(result?.[1]).toEqual([1, '1.5']);
    expect(google.bigQuery.submitted).toEqual([]);
    expect(google.server.count(/\/data\?/)).toBe(3);
  });

  test.each([true, false])(
    'a query of another task is waited for and not cancelled, deferrable %s',
    async (deferrable) => {
      await google.stop();
      const clock = new VirtualClock();
      await begin({ checks: new CheckScript(['pending', 'pending', 'pending', 'done'], () => clock.now()) });
      const reference = { projectId: PROJECT, jobId: 'theirs', location: 'US' };
      await hook().insertJob(reference, query('select id, ds from sales.orders where id = 7'));
      const operator = new BigQueryGetDataOperator({ taskId: 'read', jobId: reference, asDict: true, deferrable });
      const run = await runOperator(operator, { clock, connections });
      expect(run).toMatchObject({ state: 'success', result: [{ id: 7, ds: '2026-01-01' }] });
      expect(run.deferrals).toHaveLength(deferrable ? 1 : 0);
    },
  );

  test('a kill leaves the query of another task alone', async () => {
    await google.stop();
    const clock = new VirtualClock();
    await begin({ checks: new CheckScript(['pending'], () => clock.now()) });
    const reference = { projectId: PROJECT, jobId: 'theirs', location: 'US' };
    await hook().insertJob(reference, query('select 1'));
    await runOperator(new BigQueryGetDataOperator({ taskId: 'read', jobId: reference }), {
      clock,
      connections,
      killAfter: '1m',
    });
    expect(google.bigQuery.cancelled).toEqual([]);
  });

  test('a job that does not exist is named', async () => {
    const { error } = await runOperator(new BigQueryGetDataOperator({ taskId: 'read', jobId: 'nope' }), {
      connections,
    });
    expect(error?.message).toBe(
      'Cannot look up job proj:nope with connection "google_cloud_default": Not found: Job proj:US.nope. ' +
        'Check its name, project and location.',
    );
  });

  test('either a job or a table must be given', () => {
    expect(() => new BigQueryGetDataOperator({ taskId: 'read' })).toThrow(
      'pass either jobId, or datasetId and tableId',
    );
    expect(() => new BigQueryGetDataOperator({ taskId: 'read', jobId: 'a', ...table })).toThrow('either jobId');
  });
});

describe('checks', () => {
  const findings = async (operator: BaseOperator<any, any>) => {
    const { state, error } = await runOperator(operator, { connections });
    return state === 'success' ? 'passes' : error?.message;
  };

  test('BigQueryCheckOperator wants every value of the first row to be true', async () => {
    const check = (sql: string) => findings(new BigQueryCheckOperator({ taskId: 'check', sql }));
    expect(await check("select count(*), true, 1.5, 'x' from sales.orders")).toBe('passes');
    expect(await check('select 1 as a, 0 as b')).toContain(
      'Check "check" failed: b is 0. It asked: select 1 as a, 0 as b',
    );
    expect(await check("select null as a, false as b, '' as c")).toContain('a is null; b is false; c is ""');
    expect(await check('select 1 where false')).toContain('the query returned zero rows');
  });

  test('BigQueryValueCheckOperator allows a tolerance on both sides', async () => {
    const check = (value: string, passValue: number | string, tolerance?: number) =>
      findings(new BigQueryValueCheckOperator({ taskId: 'check', sql: `select ${value} as n`, passValue, tolerance }));
    expect(await check('10', 10)).toBe('passes');
    expect(await check('11', 10)).toContain('n is 11, not 10');
    expect(await check('11', 10, 0.1)).toBe('passes');
    expect(await check('-11', -10, 0.1)).toBe('passes');
    expect(await check('8.9', 10, 0.1)).toContain('n is 8.9, not 10 ± 10 %');
    expect(await check("'abc'", 'abc')).toBe('passes');
    expect(await check('null', 0)).toContain('n is null');
  });

  test('BigQueryIntervalCheckOperator compares two days with one job', async () => {
    const check = (options: Partial<ConstructorParameters<typeof BigQueryIntervalCheckOperator>[0]>) =>
      findings(
        new BigQueryIntervalCheckOperator({
          taskId: 'check',
          table: 'sales.orders',
          metricsThresholds: { 'count(*)': 6 },
          ...options,
        }),
      );
    expect(await check({})).toBe('passes');
    expect(google.bigQuery.submitted).toHaveLength(1);
    expect(await check({ metricsThresholds: { 'count(*)': 5 } })).toContain(
      'count(*) was 5 and is 25, a ratio of 5 (limit 5)',
    );
    expect(await check({ ratioFormula: 'relativeDiff', metricsThresholds: { 'count(*)': 4.1 } })).toBe('passes');
    expect(await check({ daysBack: -1 })).toBe('passes');
    expect(await check({ daysBack: 1, ignoreZero: false })).toContain('count(*) was 0 and is 25');
  });

  test('BigQueryColumnCheckOperator checks all columns with one job, and names what is wrong', async () => {
    const columnMapping = {
      id: { nullCheck: { equalTo: 0 }, uniqueCheck: { equalTo: 0 }, min: { geqTo: 0 }, max: { lessThan: 1000 } },
      ds: { distinctCheck: { equalTo: 3, tolerance: 0.5 } },
    };
    const make = (mapping: typeof columnMapping, partitionClause?: string) =>
      new BigQueryColumnCheckOperator({
        taskId: 'check',
        table: 'sales.orders',
        columnMapping: mapping,
        partitionClause,
      });
    expect(await findings(make(columnMapping))).toBe('passes');
    expect(google.bigQuery.submitted).toHaveLength(1);
    const strict = { ...columnMapping, id: { ...columnMapping.id, max: { lessThan: 50 } } };
    expect(await findings(make(strict))).toContain('max of id is 104, not less than 50');
    expect(await findings(make(strict, "ds = '2026-01-01' and id < 20"))).toContain(
      'distinctCheck of ds is 1, not equal to 3',
    );
  });

  test('a failed check asks anew when it is tried again', async () => {
    const clock = new VirtualClock();
    clock.at('2m', async () => void (await google.bigQuery.sql(PROJECT, 'delete from sales.orders where id >= 100')));
    const operator = new BigQueryValueCheckOperator({
      taskId: 'check',
      sql: 'select count(*) from sales.orders',
      passValue: 25,
      retries: 1,
      retryDelay: '5m',
    });
    expect(await runOperator(operator, { clock, connections })).toMatchObject({ state: 'success', tries: 2 });
    expect(google.bigQuery.submitted).toHaveLength(2);
  });
});

test('BigQueryTablePartitionExistenceSensor tells partitions apart, and runs no query', async () => {
  google.bigQuery.partitionColumns.set('sales.orders', 'ds');
  const wait = (partitionId: string) =>
    runOperator(
      new BigQueryTablePartitionExistenceSensor({
        taskId: 'wait',
        datasetId: 'sales',
        tableId: 'orders',
        partitionId,
        timeout: '3m',
      }),
      { connections },
    );
  expect((await wait('20260101')).state).toBe('success');
  expect((await wait('20260102')).error?.code).toBe('E_SENSOR_TIMEOUT');
  expect(google.bigQuery.submitted).toEqual([]);
});

test('a kill on the worker cancels the job of a task that holds it', async () => {
  await google.stop();
  const checks = new CheckScript(['pending']);
  await begin({ checks });
  const operator = new BigQueryInsertJobOperator({
    taskId: 'job',
    configuration: query('select 1'),
    deferrable: false,
  });
  const stop = new AbortController();
  const replay = new Replay({ taskId: 'job', hop: 0, records: [], save: async () => {} });
  const context = new TestHost({ connections }).context(operator, { tryNumber: 1, signal: stop.signal }, replay);
  const view = bindArgs(operator, { value: operator.args, rendered: [] });
  const execution = Promise.resolve(view.execute(context)).catch(() => 'stopped');
  await until(() => checks.checks.length > 0, 'the operator has looked at its job');
  stop.abort(new Error('killed'));
  await execution;
  await view.onKill(context);
  expect(google.bigQuery.cancelled).toEqual(google.bigQuery.submitted);
  expect(google.bigQuery.submitted).toHaveLength(1);
});

test('rows come with types that can be stored', async () => {
  const sql = `select 9007199254740993 as big, 1.5::decimal(5,2) as exact, 2.5::double as about, true as flag,
    timestamptz '2026-01-02 03:04:05Z' as at, date '2026-01-02' as day, [1, 2] as list, null as nothing`;
  const run = await runOperator(new BigQueryInsertJobOperator({ taskId: 'typed', configuration: query(sql) }), {
    connections,
  });
  expect(await hook().readRows(run.result!)).toEqual([
    {
      big: 9007199254740993n,
      exact: '1.50',
      about: 2.5,
      flag: true,
      at: new Date('2026-01-02T03:04:05Z'),
      day: '2026-01-02',
      list: [1, 2],
      nothing: null,
    },
  ]);
});
