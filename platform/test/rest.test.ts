import { dag, task } from '@windhover/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beginTestRun, createTestApi, putDags, type TestApi } from './support/rest-api.ts';

let api: TestApi;

beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api.close());

const auditOf = async () =>
  (await api.call('GET', '/audit')).body.items.map(({ actor, action, subject }: any) => ({ actor, action, subject }));

describe('a DAG', () => {
  const daily = dag(
    'daily',
    { schedule: '@daily', startDate: new Date('2026-01-01'), tags: ['sales'], owner: 'ada', description: 'Figures' },
    () => {
      const extract = task('extract', () => 1, { retries: 2 });
      task('load', () => 2, { triggerRule: 'all_done', pool: 'slow' }).after(extract);
    },
  );

  test('is listed with its schedule in words and its last run', async () => {
    await putDags(api, [daily]);
    const { body } = await api.call('GET', '/dags?search=fig');
    expect(body.nextCursor).toBeNull();
    expect(body.items).toEqual([
      expect.objectContaining({
        dagId: 'daily',
        file: 'dags/a.ts',
        isActive: true,
        isPaused: false,
        schedule: { type: 'cron', expression: '0 0 * * *', timezone: 'UTC' },
        scheduleText: 'daily',
        tags: ['sales'],
        owner: 'ada',
        description: 'Figures',
        taskCount: 2,
        lastRun: null,
      }),
    ]);
    expect(body.items[0].updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const { body: run } = await api.call('POST', '/dags/daily/runs', { logicalDate: '2026-02-01T00:00:00Z' });
    const lastRun = { runId: run.runId, state: 'queued', logicalDate: '2026-02-01T00:00:00.000Z' };
    expect((await api.call('GET', '/dags?tag=sales')).body.items).toEqual([expect.objectContaining({ lastRun })]);
  });

  test('shows its tasks and its settings', async () => {
    await putDags(api, [daily]);
    const { body } = await api.call('GET', '/dags/daily');
    expect(body).toMatchObject({ catchup: expect.any(Boolean), startDate: '2026-01-01T00:00:00.000Z', params: {} });
    expect(body.tasks).toMatchObject([
      { taskId: 'extract', operatorName: 'FunctionOperator', upstreamTaskIds: [], retries: 2, pool: 'default_pool' },
      { taskId: 'load', upstreamTaskIds: ['extract'], triggerRule: 'all_done', pool: 'slow', sensor: null },
    ]);
  });

  test('is found by each of its filters, and not when its file is gone unless all are wanted', async () => {
    const make = (dagId: string, tags: string[]) => dag(dagId, { tags }, () => void task('t', () => {}));
    await putDags(api, [make('f_one', ['x']), make('fxone', ['y'])], 'dags/f.ts');
    await putDags(api, [make('gone_dag', [])], 'dags/gone.ts');
    await putDags(api, [], 'dags/gone.ts');
    const ids = async (query: string) =>
      (await api.call('GET', `/dags${query}`)).body.items.map(({ dagId }: { dagId: string }) => dagId);
    expect(await ids('?tag=x')).toEqual(['f_one']);
    expect(await ids('?search=F_O')).toEqual(['f_one']);
    expect(await ids('?search=f%25o')).toEqual([]);
    expect(await ids('?search=gone')).toEqual([]);
    expect(await ids('?search=gone&all=true')).toEqual(['gone_dag']);
    await api.call('PATCH', '/dags/f_one', { isPaused: true });
    expect(await ids('?paused=true')).toEqual(['f_one']);
    expect(await ids('?paused=false&search=f_')).toEqual([]);
  });

  test('is paused and goes on, and the audit says by whom', async () => {
    await putDags(api, [dag('pausing', {}, () => void task('t', () => {}))], 'dags/p.ts');
    expect((await api.call('PATCH', '/dags/pausing', { isPaused: true })).body).toMatchObject({ isPaused: true });
    expect((await api.call('PATCH', '/dags/pausing', { isPaused: false })).body).toMatchObject({ isPaused: false });
    expect((await auditOf()).slice(0, 2)).toEqual([
      { actor: 'ada', action: 'dag.unpause', subject: 'pausing' },
      { actor: 'ada', action: 'dag.pause', subject: 'pausing' },
    ]);
  });
});

describe('a run', () => {
  const linear = (dagId: string) =>
    dag(dagId, { params: { env: 'dev' } }, () => {
      const a = task('a', () => {});
      task('b', () => {}, { retries: 1, retryDelay: '1h' }).after(a);
    });

  test('is started with a conf, listed, and shown with the states of its tasks', async () => {
    await putDags(api, [linear('started')], 'dags/started.ts');
    const { status, body: run } = await api.call('POST', '/dags/started/runs', { conf: { env: 'prod' } });
    expect(status).toBe(201);
    expect(run).toMatchObject({ dagId: 'started', runType: 'manual', state: 'queued', conf: { env: 'prod' } });
    expect((await api.call('GET', '/runs?dagId=started')).body.items).toEqual([run]);
    expect((await api.call('GET', '/dags/started/runs?state=queued&runType=manual')).body.items).toEqual([run]);
    expect((await api.call('GET', '/runs?dagId=started&state=failed')).body.items).toEqual([]);
    const { path } = await beginTestRun(api, linear('shown'));
    expect((await api.call('GET', path)).body).toMatchObject({ state: 'running', tasks: { none: 2 } });
  });

  test('may be started without a body, and twice with one dedupe key is one run', async () => {
    await putDags(api, [linear('bare')], 'dags/bare.ts');
    expect((await api.call('POST', '/dags/bare/runs')).status).toBe(201);
    const first = await api.call('POST', '/dags/bare/runs', { dedupeKey: 'k' });
    const second = await api.call('POST', '/dags/bare/runs', { dedupeKey: 'k' });
    expect(second.body.runId).toBe(first.body.runId);
  });

  test('for a date that has one is a conflict that names it', async () => {
    await putDags(api, [linear('twice')], 'dags/twice.ts');
    const logicalDate = '2026-03-01T00:00:00.000Z';
    const { body: run } = await api.call('POST', '/dags/twice/runs', { logicalDate });
    const { status, body } = await api.call('POST', '/dags/twice/runs', { logicalDate });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'E_DAG_RUN_EXISTS', dagId: 'twice', runId: run.runId });
  });

  test('with a conf that its params forbid is refused', async () => {
    await putDags(api, [linear('params')], 'dags/params.ts');
    const { status, body } = await api.call('POST', '/dags/params/runs', { conf: { env: 7 } });
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'E_PARAM', param: 'env' });
  });

  test('can be ended by hand, with its tasks', async () => {
    const { path } = await beginTestRun(api, linear('ended'));
    expect((await api.call('PATCH', path, { state: 'success' })).body).toMatchObject({ state: 'success' });
    expect((await api.call('GET', path)).body.tasks).toEqual({ success: 2 });
    expect((await auditOf())[0]).toMatchObject({ action: 'dagRun.mark' });
  });

  test('can be cleared: a dry run says what would happen and changes nothing', async () => {
    const { path } = await beginTestRun(api, linear('cleared'));
    await api.call('PATCH', `${path}/tasks/a`, { state: 'failed' });
    await api.call('PATCH', `${path}/tasks/b`, { state: 'success' });
    const count = (await auditOf()).length;
    expect((await api.call('POST', `${path}/clear`, { onlyFailed: true, dryRun: true })).body).toEqual({
      taskIds: ['a'],
    });
    expect((await api.call('GET', `${path}/tasks/a`)).body).toMatchObject({ state: 'failed', attempt: 1 });
    expect(await auditOf()).toHaveLength(count);
    expect((await api.call('POST', `${path}/clear`)).body).toEqual({ taskIds: ['a', 'b'] });
    expect((await api.call('GET', `${path}/tasks/a`)).body).toMatchObject({ state: 'none', attempt: 2 });
  });
});

describe('a task', () => {
  const worker = { hostname: 'here', pid: 7, codeHash: 'x' };
  const pair = (dagId: string) =>
    dag(dagId, {}, () => {
      const a = task('a', () => {}, { retries: 1, retryDelay: '1h' });
      task('b', () => {}).after(a);
    });

  async function running(id: number) {
    await api.writer.submit({ id, type: 'queue', epoch: 0, jobId: 1, executor: 'local' });
    await api.writer.submit({ id, type: 'start', epoch: 1, worker });
  }

  test('shows where it runs, its tries and its error, and its history', async () => {
    const { path, ids } = await beginTestRun(api, pair('history'));
    await running(ids.get('a')!);
    expect((await api.call('GET', `${path}/tasks/a`)).body).toMatchObject({
      state: 'running',
      tryNumber: 1,
      maxTries: 2,
      attempt: 1,
      operatorName: 'FunctionOperator',
      hostname: 'here',
      pid: 7,
      executor: 'local',
      queue: 'default',
      error: null,
    });
    const error = { name: 'Error', message: 'no luck' };
    await api.writer.submit({ id: ids.get('a')!, type: 'finish', epoch: 1, report: { state: 'failed', error } });
    expect((await api.call('GET', `${path}/tasks?state=up_for_retry`)).body.items).toMatchObject([
      { taskId: 'a', tryNumber: 2, error },
    ]);
    const { body } = await api.call('GET', `${path}/tasks/a/attempts`);
    expect(body.items).toMatchObject([{ attempt: 1, tryNumber: 1, state: 'failed', reason: 'failed', error }]);
    expect(body.items[0]).not.toHaveProperty('epoch');
  });

  test('can be tried again at once, stopped, marked and cleared', async () => {
    const { path, ids } = await beginTestRun(api, pair('acted'));
    const a = `${path}/tasks/a`;
    await running(ids.get('a')!);
    const failed = { state: 'failed', error: { name: 'Error', message: 'no luck' } } as const;
    await api.writer.submit({ id: ids.get('a')!, type: 'finish', epoch: 1, report: failed });
    expect((await api.call('POST', `${a}/retry`)).body).toEqual({ taskIds: ['a'] });
    expect((await api.call('POST', `${path}/tasks/b/retry`)).body).toEqual({ taskIds: [] });
    expect((await api.call('POST', `${a}/stop`)).body).toEqual({ taskIds: ['a'] });
    expect((await api.call('GET', a)).body).toMatchObject({ state: 'stopped' });
    expect((await api.call('PATCH', a, { state: 'success' })).body).toEqual({ taskIds: ['a'] });
    await api.call('PATCH', `${path}/tasks/b`, { state: 'skipped' });
    expect((await api.call('POST', `${a}/clear`, { downstream: false })).body).toEqual({ taskIds: ['a'] });
    await api.call('PATCH', a, { state: 'failed' });
    expect((await api.call('POST', `${a}/clear`)).body).toEqual({ taskIds: ['a', 'b'] });
    const actions = (await auditOf()).slice(0, 7).map(({ action }: { action: string }) => action);
    expect(actions.sort()).toEqual(
      ['task.clear', 'task.clear', 'task.mark', 'task.mark', 'task.mark', 'task.stop', 'task.retry'].sort(),
    );
  });

  test('shows what it has passed on', async () => {
    const { path, ids } = await beginTestRun(api, pair('xcoms'));
    await running(ids.get('a')!);
    const report = { state: 'success', result: { type: 'value', value: { rows: 3 } } } as const;
    await api.writer.submit({ id: ids.get('a')!, type: 'finish', epoch: 1, report });
    const xcom = { key: 'return_value', value: { rows: 3 }, reference: null, attempt: 1 };
    expect((await api.call('GET', `${path}/tasks/a/xcoms`)).body.items).toMatchObject([xcom]);
    expect((await api.call('GET', `${path}/tasks/a/xcoms/return_value`)).body).toMatchObject(xcom);
    const missing = await api.call('GET', `${path}/tasks/a/xcoms/other`);
    expect([missing.status, missing.body.code]).toEqual([404, 'E_XCOM_NOT_FOUND']);
  });
});

describe('a backfill', () => {
  test('can be planned, made, paused, resumed and cancelled', async () => {
    const hourly = dag(
      'hourly',
      { schedule: '@hourly', startDate: new Date('2026-01-01') },
      () => void task('t', () => {}),
    );
    await putDags(api, [hourly], 'dags/hourly.ts');
    const range = { dagId: 'hourly', from: '2026-01-01T00:00:00Z', to: '2026-01-01T02:00:00Z' };
    const planned = await api.call('POST', '/backfills', { ...range, dryRun: true });
    expect(planned.status).toBe(200);
    expect(planned.body.dates[0]).toEqual({ logicalDate: '2026-01-01T00:00:00.000Z', action: 'create' });
    const { status, body: made } = await api.call('POST', '/backfills', { ...range, maxActiveRuns: 1 });
    expect(status).toBe(201);
    expect(made).toMatchObject({
      dagId: 'hourly',
      maxActiveRuns: 1,
      isPaused: false,
      progress: { finishedDagRuns: 0 },
    });
    expect(made.progress.totalDagRuns).toBe(planned.body.dates.length);
    const path = `/backfills/${made.id}`;
    expect((await api.call('POST', `${path}/pause`)).body).toMatchObject({ isPaused: true });
    expect((await api.call('POST', `${path}/resume`)).body).toMatchObject({ isPaused: false });
    expect((await api.call('POST', `${path}/cancel`)).body).toMatchObject({ isCancelled: true });
    expect((await api.call('GET', '/backfills?dagId=hourly')).body.items).toMatchObject([{ id: made.id }]);
    expect((await auditOf()).slice(0, 4).map(({ action }: { action: string }) => action)).toEqual([
      'backfill.cancel',
      'backfill.resume',
      'backfill.pause',
      'backfill.create',
    ]);
    const missing = await api.call('GET', '/backfills/4711');
    expect([missing.status, missing.body.code]).toEqual([404, 'E_BACKFILL_NOT_FOUND']);
  });
});
