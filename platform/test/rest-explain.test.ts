import { type Dag, dag, serializeTrigger, TimeDeltaTrigger, task } from '@windhover/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDagRun } from '../src/dag-runs/create-dag-run.ts';
import type { TaskChange } from '../src/task-instances/task-change.ts';
import { beginTestRun, createTestApi, putDags, type TestApi } from './support/rest-api.ts';

let api: TestApi;

beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api.close());

const worker = { hostname: 'worker-1', pid: 42, codeHash: 'x' };
const submit = async (change: TaskChange) => expect((await api.writer.submit(change)).answer).not.toBe('stale');
const explain = async (path: string, taskId = 't') => (await api.call('GET', `${path}/tasks/${taskId}/explain`)).body;
const text = async (path: string, taskId = 't') => (await explain(path, taskId)).lines.join('\n');

async function addJob(type: string, lease = '1 minute', name: string | null = null): Promise<number> {
  const { rows } = await api.database.query<{ id: number }>(
    `insert into job (type, name, hostname, pid, expires_at) values ($1, $2, 'host-1', 9, now() + $3::interval) returning id`,
    [type, name, lease],
  );
  return rows[0]!.id;
}

let scheduler = 0;
beforeEach(async () => {
  await api.database.query('delete from job');
  scheduler = await addJob('SchedulerJob');
});

let made = 0;
const single = (options = {}, dagOptions = {}) =>
  dag(`d${++made}`, dagOptions, () => void task('t', () => {}, options));

const queued = async (id: number) => submit({ id, type: 'queue', epoch: 0, jobId: scheduler, executor: 'local' });
const running = async (id: number) => {
  await queued(id);
  await submit({ id, type: 'start', epoch: 1, worker });
};
async function inState(madeDag: Dag, bring: (id: number) => Promise<unknown>) {
  const run = await beginTestRun(api, madeDag);
  const id = run.ids.get('t')!;
  await bring(id);
  return { ...run, id };
}

describe('a task that has not begun', () => {
  test('waits for the tasks above it, each with its state', async () => {
    const graph = dag('graph', {}, () => {
      const up = [task('up1', () => {}), task('up2', () => {}), task('up3', () => {})];
      task('t', () => {}, { triggerRule: 'all_done' }).after(up);
    });
    const { path, ids } = await beginTestRun(api, graph);
    await submit({ id: ids.get('up1')!, type: 'mark', state: 'success' });
    await running(ids.get('up2')!);
    const { state, lines, facts } = await explain(path);
    expect(state).toBe('none');
    expect(lines).toEqual([
      'It waits for "up2", which is running.',
      'It waits for "up3", which is not scheduled yet.',
      'Its trigger rule is all_done.',
    ]);
    expect(facts).toMatchObject({ upstream: { up1: 'success', up2: 'running', up3: 'none' } });
  });

  test('waits for its run, and says whether the DAG is paused or has enough runs', async () => {
    const limited = single({}, { maxActiveRuns: 1 });
    await putDags(api, [limited], 'dags/limited.ts');
    const { dagId } = limited;
    const { runId } = await createDagRun(api.database, { dagId, runType: 'manual' });
    const path = `/dags/${dagId}/runs/${encodeURIComponent(runId)}`;
    expect(await text(path)).toMatch(/^Its run is queued since .+ and has not begun\.$/);
    await beginTestRun(api, limited);
    expect(await text(path)).toContain('is at its limit of runs at once: 1 of 1 (maxActiveRuns)');
    await api.call('PATCH', `/dags/${dagId}`, { isPaused: true });
    expect(await text(path)).toContain('is paused');
  });

  test('waits for its own past', async () => {
    const past = single({ dependsOnPast: true });
    const first = await beginTestRun(api, past);
    await submit({ id: first.ids.get('t')!, type: 'mark', state: 'failed' });
    const second = await beginTestRun(api, past);
    expect(await text(second.path)).toBe(
      `It waits for its own past (dependsOnPast): in run ${first.runId} it is failed.`,
    );
  });

  test('waits for nothing but a scheduler, and says when none is alive', async () => {
    const { path } = await beginTestRun(api, single());
    expect(await text(path)).toBe('Nothing holds it back: the scheduler takes it next.');
    await api.database.query("update job set expires_at = now() - interval '1 s'");
    expect(await text(path)).toContain('No scheduler is alive');
  });

  test('will not begin when its run has ended', async () => {
    const { path, dagRunId } = await beginTestRun(api, single());
    await api.database.query("update dag_run set state = 'failed', reason = 'deadlock' where id = $1", [dagRunId]);
    expect(await text(path)).toBe('It has not run, and its run has ended as failed: deadlock.');
  });
});

describe('a task that is ready', () => {
  test('names the pool that is full, with figures', async () => {
    await api.call('PUT', '/pools/tight', { slots: 3 });
    await inState(single({ pool: 'tight', poolSlots: 2 }), queued);
    const { path } = await inState(single({ pool: 'tight', poolSlots: 2 }), queued);
    const { state, lines, facts } = await explain(path);
    expect(state).toBe('scheduled');
    expect(lines[1]).toBe('Pool "tight" is full: 2 of 3 slots are taken, and it needs 2.');
    expect(facts.pool).toEqual({ name: 'tight', slots: 3, occupiedSlots: 2, needed: 2 });
  });

  test('names a pool that does not exist', async () => {
    const { path } = await inState(single({ pool: 'nowhere' }), (id) => submit({ id, type: 'schedule', epoch: 0 }));
    expect(await text(path)).toContain('Its pool "nowhere" does not exist');
  });

  test('names the limits of its DAG and of itself', async () => {
    const limited = single({ maxActivePerDag: 1 }, { maxActiveTasks: 1 });
    await inState(limited, queued);
    const { path } = await inState(limited, queued);
    const lines = await text(path);
    expect(lines).toContain('is at its limit of active tasks: 1 of 1 (maxActiveTasks)');
    expect(lines).toContain('It is at its own limit over all runs: 1 of 1 (maxActivePerDag)');
  });

  test('waits for the executor when no limit holds it', async () => {
    const { path } = await inState(single(), (id) => submit({ id, type: 'schedule', epoch: 0 }));
    expect(await text(path)).toContain('it waits for a free slot of the executor');
  });
});

describe('a task with an executor', () => {
  test('says since when it is queued, where, and by whom', async () => {
    const { path } = await inState(single(), queued);
    expect(await text(path)).toMatch(
      new RegExp(
        `^It is queued since .+ with the executor "local" by job ${scheduler} \\(host-1, process 9\\), and waits`,
      ),
    );
    await api.database.query("update job set expires_at = now() - interval '1 s'");
    expect(await text(path)).toMatch(/That job is gone.*\nNo scheduler is alive/);
  });

  test('says where it runs, which try it is, and that it was asked to stop', async () => {
    const { path, id } = await inState(single({ retries: 2, executionTimeout: '1h' }), running);
    expect(await text(path)).toMatch(
      /^It runs since .+ on worker-1, process 42: try 1 of 3\.\nThis try must end by .+, in 59 min/,
    );
    await submit({ id, type: 'stop' });
    const { lines, facts } = await explain(path);
    expect(lines).toContain('It was asked to stop.');
    expect(facts).toMatchObject({ hostname: 'worker-1', pid: 42, requestedAction: 'stop' });
  });
});

describe('a task that waits deferred', () => {
  const deferral = (timeoutMs: number | null = null) => ({
    trigger: { classpath: '@x/y#KeyTrigger', kwargs: { secret: 'hunter2' }, isShareable: false },
    resume: { methodName: 'done', kwargs: {}, hop: 1 },
    timeoutMs,
    onTimeout: 'retry' as const,
  });
  const deferred = (options: object, timeoutMs: number | null = null) =>
    inState(single(options), async (id) => {
      await running(id);
      await submit({ id, type: 'defer', epoch: 1, deferral: deferral(timeoutMs) });
    });

  test('names its trigger, its timeout and its deadline, and that no triggerer is alive', async () => {
    const { path } = await deferred({ executionTimeout: '2h' }, 3_600_000);
    const { state, lines, facts } = await explain(path);
    expect(state).toBe('deferred');
    expect(lines[0]).toMatch(/^It waits since .+ for @x\/y#KeyTrigger\.$/);
    expect(lines[1]).toContain('No triggerer is alive');
    expect(lines[2]).toMatch(/^The wait times out at .+, in 59 min/);
    expect(lines[3]).toMatch(/^This try must end by .+, in 1 h 59 min/);
    expect(JSON.stringify(facts)).not.toContain('hunter2');
    await addJob('Triggerer', '1 minute', 'another');
    expect(await text(path)).toContain('Does one of them serve the queue "default"?');
  });

  test('says which triggerer runs its trigger, and what it saw last', async () => {
    await addJob('Triggerer', '1 minute', 'triggerer-1');
    const { path, id } = await deferred({});
    const lastPoll = {
      lastPollAt: '2026-01-01T00:00:00.000Z',
      outcome: 'failure',
      nextPollAt: '2026-01-01T00:01:00.000Z',
      message: '503',
    };
    await api.database.query('update trigger set triggerer_id = $2, last_poll = $3 where task_instance_id = $1', [
      id,
      'triggerer-1',
      JSON.stringify(lastPoll),
    ]);
    const { lines, facts } = await explain(path);
    expect(lines.slice(1)).toEqual([
      'Triggerer triggerer-1 runs it.',
      'Its last poll, at 2026-01-01T00:00:00.000Z, failed: 503.',
      'It polls again at 2026-01-01T00:01:00.000Z.',
    ]);
    expect(facts).toMatchObject({ trigger: '@x/y#KeyTrigger', triggererId: 'triggerer-1', lastPoll });
  });

  test('needs no triggerer before its hour', async () => {
    const { path } = await inState(single(), async (id) => {
      await running(id);
      const trigger = serializeTrigger(new TimeDeltaTrigger({ delta: '8h' }));
      await submit({ id, type: 'defer', epoch: 1, deferral: { ...deferral(), trigger } });
    });
    expect(await text(path)).toContain('no triggerer is needed before');
  });
});

describe('a task that is put off', () => {
  const failed = { state: 'failed', error: { name: 'Error', message: 'no luck' } } as const;

  test('says which try has failed, why, and when the next one begins', async () => {
    const { path } = await inState(single({ retries: 1, retryDelay: '1h' }), async (id) => {
      await running(id);
      await submit({ id, type: 'finish', epoch: 1, report: failed });
    });
    const { state, lines } = await explain(path);
    expect(state).toBe('up_for_retry');
    expect(lines[0]).toBe('Try 1 of 2 has failed: Error: no luck');
    expect(lines[1]).toMatch(/^Try 2 begins at .+, in 59 min/);
  });

  test('says when it looks again', async () => {
    const { path } = await inState(single(), async (id) => {
      await running(id);
      const at = new Date(Date.now() + 3_600_000);
      await submit({ id, type: 'reschedule', epoch: 1, at, resume: { methodName: 'x', kwargs: {}, hop: 1 } });
    });
    const { state, lines } = await explain(path);
    expect(state).toBe('up_for_reschedule');
    expect(lines[0]).toMatch(/its next look begins at .+, in 59 min/);
  });
});

describe('a task that has ended', () => {
  const finished = (report: Extract<TaskChange, { type: 'finish' }>['report']) =>
    inState(single({ retries: 0 }), async (id) => {
      await running(id);
      await submit({ id, type: 'finish', epoch: 1, report });
    });

  test('says how: success, failure with its error, skip with its reason, stop', async () => {
    const success = await finished({ state: 'success', result: { type: 'none' } });
    expect(await text(success.path)).toMatch(/^It has succeeded at .+, after .+ of work\.$/);
    const failure = await finished({ state: 'failed', error: { name: 'TypeError', message: 'x is not a function' } });
    expect(await text(failure.path)).toMatch(
      /^It has failed at .+, in try 1 of 1, after .+\nTypeError: x is not a function$/,
    );
    const skip = await finished({ state: 'skipped', reason: 'nothing new' });
    expect(await text(skip.path)).toMatch(/^It was skipped at .+: nothing new\.$/);
    const stopped = await inState(single(), (id) => submit({ id, type: 'stop' }));
    expect(await text(stopped.path)).toMatch(/^It was stopped at /);
  });

  test('names the task above it that has failed', async () => {
    const graph = dag('failing', {}, () => void task('t', () => {}).after(task('up', () => {})));
    const { path, ids } = await beginTestRun(api, graph);
    await submit({ id: ids.get('up')!, type: 'mark', state: 'failed' });
    await submit({ id: ids.get('t')!, type: 'upstreamFail', epoch: 0 });
    expect(await text(path)).toContain('its trigger rule all_success cannot be met because of "up" (failed)');
  });

  test('was taken out of its DAG', async () => {
    const { path, id } = await inState(single(), async () => {});
    await api.database.query("update task_instance set state = 'removed' where id = $1", [id]);
    expect(await text(path)).toBe('The DAG no longer has this task.');
  });
});
