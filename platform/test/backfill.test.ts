import { dag, task } from '@windhover/core';
import { until } from '@windhover/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cancelBackfill, createBackfill, pauseBackfill, resumeBackfill } from '../src/backfills/backfills.ts';
import { planBackfill } from '../src/backfills/plan-backfill.ts';
import { DagRun } from '../src/dag-runs/dag-run.ts';
import { StoredDag } from '../src/dags/stored-dag.ts';
import { createDagRun, DagRunJob } from '../src/index.ts';
import { BackfillJob, formatProgress } from '../src/scheduler/backfill-job.ts';
import { getBackfill } from '../src/store/backfills.ts';
import { createScene, type Scene } from './support/scheduling.ts';
import { fail, succeed } from './support/scripted-executor.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await createScene();
  const body = () => {
    task('a', () => {}).before(task('b', () => {}));
  };
  const options = { schedule: '@daily', startDate: new Date('2026-01-01'), endDate: new Date('2026-01-01') } as const;
  await scene.put(dag('daily', { ...options, isPausedUponCreation: false }, body));
  await scene.platform.database.query('update dag set next_run_at = null');
});
afterEach(() => scene.close());

const days = (from: number, to: number) => ({
  dagId: 'daily',
  from: new Date(Date.UTC(2026, 0, from)),
  to: new Date(Date.UTC(2026, 0, to)),
});

const over = (id: number) =>
  scene.eventually(`backfill ${id} ends`, async () => {
    const backfill = await getBackfill(scene.platform.database, id);
    return backfill?.endedAt ? backfill : null;
  });

test('a backfill makes a run for each date of its range, as many at once as it may, and ends', async () => {
  const { executor } = await scene.schedule({
    script: async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return succeed;
    },
  });
  const { id } = await createBackfill(scene.platform, { ...days(1, 30), maxActiveRuns: 4 });
  const { progress } = await over(id);
  expect(progress).toMatchObject({
    totalDagRuns: 30,
    finishedDagRuns: 30,
    totalTasks: 60,
    finished: 60,
    succeeded: 60,
  });
  expect(executor.peak).toBeLessThanOrEqual(4);
  const { rows } = await scene.platform.database.query(
    'select interval_end from dag_run order by logical_date limit 1',
  );
  expect(rows[0].interval_end).toEqual(new Date('2026-01-02'));
}, 20_000);

test('a backfill in reverse begins with the latest date', async () => {
  const { executor } = await scene.schedule();
  const { id } = await createBackfill(scene.platform, { ...days(1, 4), isReverse: true, maxActiveRuns: 1 });
  await over(id);
  const order = executor.started.filter(({ taskId }) => taskId === 'a').map(({ runId }) => runId.slice(10, 20));
  expect(order).toEqual(['2026-01-04', '2026-01-03', '2026-01-02', '2026-01-01']);
});

test('what a backfill would do can be asked first: make, run again, or leave alone', async () => {
  let isMended = false;
  await scene.schedule({ script: ({ runId }) => (runId.includes('01-02') && !isMended ? fail : succeed) });
  const first = await createBackfill(scene.platform, days(1, 3));
  expect((await over(first.id)).progress).toMatchObject({ failed: 2, succeeded: 4 });
  const planned = await planBackfill(scene.platform.database, { ...days(1, 4), reprocess: 'failed' });
  expect(planned.map(({ action }) => action)).toEqual(['skip', 'rerun', 'skip', 'create']);
  isMended = true;
  const again = await createBackfill(scene.platform, { ...days(1, 4), reprocess: 'failed' });
  expect((await over(again.id)).progress).toMatchObject({
    totalDagRuns: 2,
    finishedDagRuns: 2,
    succeeded: 4,
    failed: 0,
  });
  expect(await scene.taskStates('daily', `backfill__${new Date('2026-01-02').toISOString()}`)).toEqual({
    a: 'success 1/2',
    b: 'success 1/2',
  });
});

test('a paused backfill begins nothing more until it is resumed; a cancelled one never', async () => {
  const gate = Promise.withResolvers<void>();
  const { executor } = await scene.schedule({ script: () => gate.promise.then(() => succeed) });
  const { id } = await createBackfill(scene.platform, { ...days(1, 6), maxActiveRuns: 2 });
  await until(() => executor.started.length === 2, 'two begin');
  await pauseBackfill(scene.platform, id);
  gate.resolve();
  await scene.eventually('the two end', async () => {
    return (await getBackfill(scene.platform.database, id))?.progress.finishedDagRuns === 2;
  });
  expect(executor.started).toHaveLength(4);
  await resumeBackfill(scene.platform, id);
  await until(() => executor.started.length > 4, 'it goes on');
  await over(id);
  const other = await createBackfill(scene.platform, { ...days(1, 6), reprocess: 'all', maxActiveRuns: 1 });
  await cancelBackfill(scene.platform, other.id);
  expect(await over(other.id)).toMatchObject({ isCancelled: true });
  await expect(resumeBackfill(scene.platform, other.id)).rejects.toThrow(/is over already/);
});

test('a backfill that makes no sense is refused with the reason', async () => {
  const refused = (request: object) => createBackfill(scene.platform, { ...days(1, 2), ...request });
  await expect(refused({ to: new Date('2025-01-01') })).rejects.toThrow(/ends .* before it begins/);
  await expect(refused({ dagId: 'daly' })).rejects.toThrow(/There is no DAG "daly"/);
  await expect(refused({ from: new Date('2020-01-01'), to: new Date('2020-02-01') })).rejects.toThrow(
    /has no date from/,
  );
  await scene.put(dag('manual', {}, () => void task('a', () => {})));
  await expect(refused({ dagId: 'manual' })).rejects.toThrow(/no schedule/);
  const held = () => void task('a', () => {}, { dependsOnPast: true });
  await scene.put(dag('held', { schedule: '@daily', startDate: new Date('2026-01-01') }, held));
  await expect(refused({ dagId: 'held', isReverse: true })).rejects.toThrow(/task "a" depends on the past/);
});

test('a BackfillJob executes its own list without a scheduler, tells its progress, and is over', async () => {
  const lines: string[] = [];
  const backfill = { ...days(1, 5), maxActiveRuns: 2 };
  const onProgress = (progress: Parameters<typeof formatProgress>[0]) => lines.push(formatProgress(progress));
  const job = await scene.start((options) => new BackfillJob({ ...options, backfill, onProgress }));
  await job.whenOver();
  expect(lines[0]).toMatch(
    /^\[backfill progress: \d+\.\d%\] \| total dagruns: 5 \| total tasks: 10 \| finished: \d+ \|/,
  );
  expect(lines.at(-1)).toBe(
    '[backfill progress: 100.0%] | total dagruns: 5 | total tasks: 10 | finished: 10 | succeeded: 10 | skipped: 0 | failed: 0',
  );
});

test('a run can be handed to a job by its lock, taken back, given another conf and ended by a word', async () => {
  const { runId } = await createDagRun(scene.platform.database, { dagId: 'daily', runType: 'manual' });
  const run = await DagRun.find(scene.platform, 'daily', runId);
  const gate = Promise.withResolvers<void>();
  const [first, second] = [
    await scene.start(
      (options) => new DagRunJob(options),
      () => gate.promise.then(() => succeed),
    ),
    await scene.start((options) => new DagRunJob(options)),
  ];
  expect(await run.lock(first)).toBe(true);
  expect(await run.lock(second)).toBe(false);
  expect(run.lockId).toBe(first.jobId);
  await until(() => first.getProgress().dagRuns === 1, 'the first executes it');
  expect((await run.run(second)).totalTasks).toBe(2);
  expect(second.getProgress().dagRuns).toBe(0);
  await run.setConf({ month: 'May' });
  expect(run.conf).toEqual({ month: 'May' });
  await run.unlock();
  expect(run.lockId).toBeNull();
  gate.resolve();
  await run.setState('failed');
  expect(run.state).toBe('failed');
  await expect(DagRun.find(scene.platform, 'daily', 'nothing')).rejects.toThrow(/has no run "nothing"/);
});

test('a program can ask a DAG for its dates, have its due run made, and have forgotten runs judged', async () => {
  const daily = await StoredDag.find(scene.platform, 'daily');
  expect(daily.onSchedule(new Date('2026-01-05'))).toBe(true);
  expect(daily.onSchedule(new Date('2026-01-05T01:00:00Z'))).toBe(false);
  expect(daily.dateRange(new Date('2026-01-03'), new Date('2026-01-04'))).toHaveLength(2);
  await scene.platform.database.query("update dag set next_run_at = now() - interval '1 second'");
  expect(await daily.scheduleDag()).toMatchObject({ logicalDate: new Date('2026-01-01') });
  expect(await daily.scheduleDag()).toBeNull();
  expect(await daily.updateDagRunStates()).toEqual([]);
  await scene.platform.database.query("update dag_run set state = 'running'");
  await scene.platform.database.query(
    `insert into task_instance (dag_run_id, task_id, state, ended_at, pool, pool_slots, priority_weight, queue)
     select id, t, 'success', now(), 'default_pool', 1, 1, 'default' from dag_run, unnest(array['a', 'b']) as t`,
  );
  expect(await daily.updateDagRunStates()).toEqual([`scheduled__${new Date('2026-01-01').toISOString()}`]);
});
