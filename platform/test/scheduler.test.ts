import { dag, task } from '@windhover/core';
import { until } from '@windhover/core/testing';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clearTasks } from '../src/dag-runs/clear-tasks.ts';
import { markTasks } from '../src/dag-runs/mark-tasks.ts';
import { retryTasksNow } from '../src/dag-runs/retry-tasks.ts';
import { setDagRunState } from '../src/dag-runs/set-dag-run-state.ts';
import { type CreatedDagRun, createDagRun, DagRunJob } from '../src/index.ts';
import { createScene, type Scene } from './support/scheduling.ts';
import { fail, succeed } from './support/scripted-executor.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await createScene();
});
afterEach(() => scene.close());

const DAY_MS = 86_400_000;
const startOfDay = (daysAgo: number) => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - daysAgo * DAY_MS);

async function runs(dagId: string): Promise<{ runId: string; state: string; type: string }[]> {
  const { rows } = await scene.platform.database.query(
    'select run_id as "runId", state, run_type as type from dag_run where dag_id = $1 order by logical_date',
    [dagId],
  );
  return rows;
}

async function trigger(dagId: string, logicalDate?: Date): Promise<string> {
  const date = logicalDate && { logicalDate };
  return (await createDagRun(scene.platform.database, { dagId, runType: 'manual', ...date })).runId;
}

const ended = (runId: string) =>
  scene.eventually(`run ${runId} ends`, async () => {
    const state = await scene.runState(runId);
    return (state === 'success' || state === 'failed') && state;
  });

test('a schedule without catchup runs only the latest interval that has passed', async () => {
  await scene.put(dag('daily', { schedule: '@daily', startDate: startOfDay(10) }, () => void task('a', () => {})));
  await scene.schedule();
  const runId = `scheduled__${startOfDay(1).toISOString()}`;
  expect(await ended(runId)).toBe('success');
  expect(await runs('daily')).toEqual([{ runId, state: 'success', type: 'scheduled' }]);
  const { rows } = await scene.platform.database.query('select next_logical_date, next_run_at from dag');
  expect(rows[0]).toEqual({ next_logical_date: startOfDay(0), next_run_at: startOfDay(-1) });
});

test('a schedule with catchup runs every missed interval once, though two schedulers look at it', async () => {
  const options = { schedule: '@daily', startDate: startOfDay(12), catchup: true, maxActiveRuns: 3 } as const;
  await scene.put(dag('missed', options, () => void task('a', () => {})));
  await Promise.all([scene.schedule(), scene.schedule()]);
  await scene.eventually('twelve runs end', async () => {
    const made = await runs('missed');
    return made.length === 12 && made.every(({ state }) => state === 'success');
  });
  const dates = (await runs('missed')).map(({ runId }) => runId);
  expect(dates).toEqual(Array.from({ length: 12 }, (_, i) => `scheduled__${startOfDay(12 - i).toISOString()}`));
});

test('@once runs now, and once', async () => {
  await scene.put(dag('once', { schedule: '@once' }, () => void task('a', () => {})));
  await scene.schedule();
  await scene.eventually('its run ends', async () => (await runs('once'))[0]?.state === 'success');
  const { rows } = await scene.platform.database.query('select next_run_at from dag');
  expect(rows[0].next_run_at).toBeNull();
});

test('@continuous begins the next run when one has ended, never two at once', async () => {
  await scene.put(dag('again', { schedule: '@continuous' }, () => void task('a', () => {})));
  const { executor } = await scene.schedule();
  await scene.eventually('three runs', async () => (await runs('again')).length >= 3);
  expect(executor.peak).toBe(1);
});

test('a paused DAG begins no run, and goes on when it is unpaused', async () => {
  await scene.put(dag('resting', { isPausedUponCreation: true }, () => void task('a', () => {})));
  const { scheduler } = await scene.schedule();
  const runId = await trigger('resting');
  await scene.put(dag('other', {}, () => void task('a', () => {})));
  expect(await ended(await trigger('other'))).toBe('success');
  expect(await scene.runState(runId)).toBe('queued');
  await scene.platform.database.query('update dag set is_paused = false');
  scheduler.lookForRuns();
  expect(await ended(runId)).toBe('success');
});

test('no more runs of a DAG are under way than maxActiveRuns allows', async () => {
  await scene.put(dag('narrow', { maxActiveRuns: 2 }, () => void task('a', () => {})));
  const gate = Promise.withResolvers<void>();
  const { executor } = await scene.schedule({ script: () => gate.promise.then(() => succeed) });
  const made = await Promise.all(Array.from({ length: 5 }, () => trigger('narrow')));
  await until(() => executor.started.length === 2, 'two begin');
  const states = (await runs('narrow')).map(({ state }) => state).sort();
  expect(states).toEqual(['queued', 'queued', 'queued', 'running', 'running']);
  gate.resolve();
  expect(await Promise.all(made.map(ended))).toEqual(Array(5).fill('success'));
  expect(executor.peak).toBe(2);
});

test('a pool is never overfilled, though two schedulers fill it, and all its tasks run in the end', async () => {
  await scene.platform.database.query("insert into pool (name, slots) values ('tight', 3)");
  const body = () => {
    for (let n = 0; n < 12; n++) task(`t${n}`, () => {}, { pool: 'tight' });
  };
  await scene.put(dag('left', {}, body), dag('right', {}, body));
  let now = 0;
  let peak = 0;
  const script = async () => {
    peak = Math.max(peak, ++now);
    await new Promise((resolve) => setTimeout(resolve, 5));
    now -= 1;
    return succeed;
  };
  await Promise.all([scene.schedule({ script }), scene.schedule({ script })]);
  const made = await Promise.all([trigger('left'), trigger('right')]);
  expect(await Promise.all(made.map(ended))).toEqual(['success', 'success']);
  expect(peak).toBe(3);
  const { rows } = await scene.platform.database.query('select count(*)::int as n from active_task');
  expect(rows[0].n).toBe(0);
});

test('the most urgent task of all runs goes first', async () => {
  const body = (weights: number[]) => () => {
    for (const weight of weights) task(`w${weight}`, () => {}, { priorityWeight: weight, weightRule: 'absolute' });
  };
  await scene.put(dag('one', {}, body([1, 5])), dag('two', {}, body([3, 9])));
  const made = await Promise.all([trigger('one'), trigger('two')]);
  const { executor } = await scene.schedule({ parallelism: 1 });
  await Promise.all(made.map(ended));
  expect(executor.started.map(({ taskId }) => taskId)).toEqual(['w9', 'w5', 'w3', 'w1']);
});

test('a task that depends on the past waits for its predecessor, and no longer', async () => {
  const body = () => void task('a', () => {}, { dependsOnPast: true });
  await scene.put(dag('chained', {}, body));
  const gate = Promise.withResolvers<void>();
  const [first, second] = [new Date('2026-01-01'), new Date('2026-01-02')];
  const { executor } = await scene.schedule({
    script: async ({ runId }) => {
      if (runId.includes('01-01')) await gate.promise;
      return succeed;
    },
  });
  const earlier = await trigger('chained', first);
  const later = await trigger('chained', second);
  await until(() => executor.started.length === 1, 'the first begins');
  await scene.eventually('the second run is under way', async () => (await scene.runState(later)) === 'running');
  expect(executor.started).toHaveLength(1);
  gate.resolve();
  expect(await Promise.all([ended(earlier), ended(later)])).toEqual(['success', 'success']);
});

test('waitForDownstream waits for what is directly below the predecessor, too', async () => {
  const body = () => {
    const a = task('a', () => {}, { waitForDownstream: true });
    a.before(task('b', () => {}));
  };
  await scene.put(dag('wave', {}, body));
  const gate = Promise.withResolvers<void>();
  const { executor } = await scene.schedule({
    script: async ({ runId, taskId }) => {
      if (runId.includes('01-01') && taskId === 'b') await gate.promise;
      return succeed;
    },
  });
  const made = [await trigger('wave', new Date('2026-01-01')), await trigger('wave', new Date('2026-01-02'))];
  await until(() => executor.started.length === 2, 'a and b of the first begin');
  await scene.eventually('the second run is under way', async () => (await scene.runState(made[1]!)) === 'running');
  expect(executor.started.filter(({ runId }) => runId.includes('01-02'))).toEqual([]);
  gate.resolve();
  expect(await Promise.all(made.map(ended))).toEqual(['success', 'success']);
});

test('a run that takes too long fails with the reason, and its tasks are stopped', async () => {
  const body = () => {
    task('slow', () => {}).before(task('never', () => {}));
  };
  await scene.put(dag('slow', { dagRunTimeout: '200ms' }, body));
  await scene.schedule({ script: () => new Promise(() => {}) });
  const runId = await trigger('slow');
  expect(await ended(runId)).toBe('failed');
  await scene.eventually('its tasks end', async () => {
    const states = await scene.taskStates('slow');
    return states.slow === 'stopped 1/1' && states.never === 'stopped 1/1';
  });
  const { rows } = await scene.platform.database.query('select reason from dag_run');
  expect(rows[0].reason).toMatch(/timed out: it took longer than 200 ms/);
});

test('failFast ends a run at its first failure', async () => {
  const body = () => {
    task('breaks', () => {});
    task('hangs', () => {});
  };
  await scene.put(dag('fast', { failFast: true }, body));
  await scene.schedule({ script: ({ taskId }) => (taskId === 'breaks' ? fail : new Promise(() => {})) });
  expect(await ended(await trigger('fast'))).toBe('failed');
  await scene.eventually('the other is stopped', async () => (await scene.taskStates('fast')).hangs === 'stopped 1/1');
});

test('a DAG is paused after so many failed runs in a row', async () => {
  await scene.put(dag('unlucky', { maxConsecutiveFailedRuns: 2 }, () => void task('a', () => {})));
  await scene.schedule({ script: () => fail });
  const isPaused = async () => (await scene.platform.database.query('select is_paused from dag')).rows[0].is_paused;
  await ended(await trigger('unlucky'));
  expect(await isPaused()).toBe(false);
  await ended(await trigger('unlucky'));
  expect(await isPaused()).toBe(true);
});

test('a missed deadline and the end of a run call back once, through a workload', async () => {
  const options = {
    deadlines: [{ reference: 'queuedAt', interval: '50ms', callback: () => {} }],
    onFailure: () => {},
  } as const;
  await scene.put(dag('late', options, () => void task('a', () => {}, { onFailure: () => {} })));
  const gate = Promise.withResolvers<void>();
  const { executor } = await scene.schedule({ script: () => gate.promise.then(() => fail) });
  const runId = await trigger('late');
  await until(() => executor.callbacks.length === 1, 'the deadline calls back');
  gate.resolve();
  expect(await ended(runId)).toBe('failed');
  await until(() => executor.callbacks.length === 3, 'the failures call back');
  const types = executor.callbacks.map((text) => JSON.parse(text)).map(({ type, name }) => `${type} ${name ?? ''}`);
  expect(types.sort()).toEqual(['dag onFailure', 'deadline ', 'task onFailure']);
  const { rows } = await scene.platform.database.query('select distinct state from callback_outbox');
  expect(rows).toHaveLength(1);
});

test('a task whose pool does not exist fails with what to do, instead of waiting for ever', async () => {
  await scene.put(dag('poolless', {}, () => void task('a', () => {}, { pool: 'nowhere', retries: 3 })));
  await scene.schedule();
  expect(await ended(await trigger('poolless'))).toBe('failed');
  const { rows } = await scene.platform.database.query('select error from task_instance');
  expect(rows[0].error).toMatchObject({
    code: 'pool_missing',
    message: expect.stringContaining('windhover pools set nowhere'),
  });
});

test('a task that asks for an executor which is not configured fails with the names of those that are', async () => {
  await scene.put(dag('elsewhere', {}, () => void task('a', () => {}, { executor: 'mainframe' })));
  await scene.schedule();
  expect(await ended(await trigger('elsewhere'))).toBe('failed');
  const { rows } = await scene.platform.database.query('select error from task_instance');
  expect(rows[0].error.message).toMatch(/Executor "mainframe" is not configured.*there are: scripted/);
});

test('a cleared task of a finished run runs again with what is below it, and the run ends anew', async () => {
  const body = () => {
    const [a, b, c] = [task('a', () => {}), task('b', () => {}), task('c', () => {})];
    a.before(b);
    b.before(c);
  };
  await scene.put(dag('clearing', {}, body));
  let isMended = false;
  await scene.schedule({ script: ({ taskId }) => (taskId === 'b' && !isMended ? fail : succeed) });
  const runId = await trigger('clearing');
  expect(await ended(runId)).toBe('failed');
  isMended = true;
  const selection = { dagId: 'clearing', runId, taskIds: ['b'], downstream: true };
  expect(await clearTasks(scene.platform, selection, { dryRun: true })).toEqual(['b', 'c']);
  expect(await scene.runState(runId)).toBe('failed');
  expect(await clearTasks(scene.platform, selection)).toEqual(['b', 'c']);
  await scene.eventually('it succeeds', async () => (await scene.runState(runId)) === 'success');
  expect(await scene.taskStates('clearing')).toEqual({ a: 'success 1/1', b: 'success 1/2', c: 'success 1/2' });
});

test('marking the failed task of a finished run has the run judged anew', async () => {
  await scene.put(dag('judged', {}, () => void task('a', () => {})));
  await scene.schedule({ script: () => fail });
  const runId = await trigger('judged');
  expect(await ended(runId)).toBe('failed');
  expect(await markTasks(scene.platform, { dagId: 'judged', runId, taskIds: ['a'] }, 'success')).toEqual(['a']);
  await scene.eventually('it is a success', async () => (await scene.runState(runId)) === 'success');
});

test('a retry need not be waited for', async () => {
  await scene.put(dag('impatient', {}, () => void task('a', () => {}, { retries: 1, retryDelay: '1h' })));
  await scene.schedule({ script: (_key, tryNumber) => (tryNumber === 1 ? fail : succeed) });
  const runId = await trigger('impatient');
  await scene.eventually(
    'it waits for its retry',
    async () => (await scene.taskStates('impatient')).a === 'up_for_retry 2/1',
  );
  expect(await retryTasksNow(scene.platform, { dagId: 'impatient', runId })).toEqual(['a']);
  expect(await ended(runId)).toBe('success');
});

test('a run that a user marks ends with its tasks, and its scheduler lets go of it', async () => {
  await scene.put(dag('given_up', {}, () => void task('a', () => {})));
  const { scheduler, executor } = await scene.schedule({ script: () => new Promise(() => {}) });
  const runId = await trigger('given_up');
  await until(() => executor.started.length === 1, 'it begins');
  await setDagRunState(scene.platform, { dagId: 'given_up', runId }, 'failed');
  expect(await scene.runState(runId)).toBe('failed');
  expect(await scene.taskStates('given_up')).toEqual({ a: 'stopped 1/1' });
  await until(() => scheduler.getProgress().dagRuns === 0, 'the scheduler forgets it');
});

test("a user's own job runs the runs of its list, and a scheduler leaves them alone", async () => {
  await scene.put(dag('listed', {}, () => void task('a', () => {})));
  const made: CreatedDagRun[] = [];
  for (let n = 0; n < 3; n++)
    made.push(await createDagRun(scene.platform.database, { dagId: 'listed', runType: 'manual' }));
  class ListJob extends DagRunJob {
    override readonly type = 'ListJob';
    readonly #list = made.slice(0, 2);
    #isSubmitted = false;
    protected override get isDone() {
      return this.#isSubmitted;
    }
    protected override async collectDagRuns() {
      if (!this.#isSubmitted) await this.submitDagRuns(this.#list);
      this.#isSubmitted = true;
      await super.collectDagRuns();
    }
  }
  const job = await scene.start((options) => new ListJob(options));
  await job.whenOver();
  const states = await Promise.all(made.map(({ runId }) => scene.runState(runId)));
  expect(states).toEqual(['success', 'success', 'queued']);
});

test('a scheduler that stops hands its runs to another at once', async () => {
  await scene.put(dag('handed', {}, () => void task('a', () => {}, { retries: 1, retryDelay: '1h' })));
  const first = await scene.schedule({ script: () => fail });
  const runId = await trigger('handed');
  await scene.eventually(
    'it waits for its retry',
    async () => (await scene.taskStates('handed')).a === 'up_for_retry 2/1',
  );
  await first.scheduler.stop();
  const second = await scene.schedule();
  await until(() => second.scheduler.getProgress().dagRuns === 1, 'the second takes the run');
  await retryTasksNow(scene.platform, { dagId: 'handed', runId });
  expect(await ended(runId)).toBe('success');
});

test('a scheduler stops by itself after the number of rounds it was given', async () => {
  const { scheduler } = await scene.schedule({ numRuns: 3 });
  await scheduler.whenOver();
});

test('a scheduler that is told which DAGs to look after leaves the others alone', async () => {
  await scene.put(
    dag('mine', {}, () => void task('a', () => {})),
    dag('theirs', {}, () => void task('a', () => {})),
  );
  const made = [await trigger('theirs'), await trigger('mine')];
  await scene.schedule({ dagIds: ['mine'] });
  expect(await ended(made[1]!)).toBe('success');
  expect(await scene.runState(made[0]!)).toBe('queued');
});

test('a transaction left open in another database of the server delays nothing', async () => {
  const other = await createScene();
  const idle = new pg.Client({ connectionString: other.url });
  await idle.connect();
  await idle.query("begin; insert into variable (key, value) values ('left', 'open')");
  await scene.put(dag('undelayed', {}, () => void task('a', () => {})));
  await scene.schedule();
  expect(await ended(await trigger('undelayed'))).toBe('success');
  expect((await idle.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await idle.end();
  await other.close();
});
