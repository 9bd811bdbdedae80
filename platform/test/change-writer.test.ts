import { dag, serializeTrigger, TimeDeltaTrigger, task } from '@windhover/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NEXT_PURPOSE } from '../src/task-instances/change-writer.ts';
import type { TaskChange } from '../src/task-instances/task-change.ts';
import { createRun, createTestStore, type TestStore } from './support/store.ts';

const worker = { hostname: 'here', pid: 1, codeHash: 'x' };
const success = { state: 'success', result: { type: 'value', value: 42 } } as const;
let store: TestStore;

beforeAll(async () => {
  store = await createTestStore();
});
afterAll(() => store.close());

async function newTask(options = {}, dagOptions = {}) {
  const made = dag('d', dagOptions, () => void task('t', () => {}, options));
  const { ids, runId } = await createRun(store, made);
  return { id: ids.get('t')!, runId };
}

const ask = async (change: TaskChange) => (await store.writer.submit(change)).answer;
const rowOf = async (id: number) =>
  (await store.database.query('select * from task_instance where id = $1', [id])).rows[0];
const count = async (sql: string, ...values: unknown[]) =>
  (await store.database.query(`select count(*)::int as n from ${sql}`, values)).rows[0].n;
const statesInLog = async (id: number) =>
  (
    await store.database.query('select value from signal where task_instance_id = $1 order by log_offset', [id])
  ).rows.map(({ value }) => value.to);

async function running(id: number) {
  expect(await ask({ id, type: 'queue', epoch: 0, jobId: 1, executor: 'local' })).toBe('applied');
  expect(await ask({ id, type: 'start', epoch: 1, worker })).toBe('applied');
}

const deferral = () => ({
  trigger: serializeTrigger(new TimeDeltaTrigger({ delta: '8h' })),
  resume: { methodName: 'done', kwargs: { secret: 'hunter2' }, hop: 1 },
  timeoutMs: 60_000,
  onTimeout: 'retry' as const,
});

describe('a task that runs', () => {
  test('passes through its states, each of them in the log, and frees its slot', async () => {
    const { id, runId } = await newTask();
    await running(id);
    expect(await count('active_task where task_instance_id = $1', id)).toBe(1);
    expect(await ask({ id, type: 'finish', epoch: 1, report: success })).toBe('applied');
    expect(await statesInLog(id)).toEqual(['scheduled', 'queued', 'running', 'success']);
    expect(await rowOf(id)).toMatchObject({ state: 'success', try_number: 1, attempt: 1, signal_version: 4 });
    expect(await count('active_task where task_instance_id = $1', id)).toBe(0);
    const { rows } = await store.database.query('select key, value from xcom where dag_run_id = $1', [runId]);
    expect(rows).toEqual([{ key: 'return_value', value: 42 }]);
  });

  test('is not changed by anybody who holds an older epoch', async () => {
    const { id } = await newTask();
    await running(id);
    expect(await ask({ id, type: 'finish', epoch: 0, report: success })).toBe('stale');
    expect(await ask({ id, type: 'lose', epoch: 0, reason: 'old news' })).toBe('stale');
    expect(await rowOf(id)).toMatchObject({ state: 'running', epoch: 1 });
  });

  test('ends once, whoever says so at the same time', async () => {
    const { id } = await newTask();
    await running(id);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask({ id, type: 'finish', epoch: 1, report: success })),
    );
    expect(answers.filter((answer) => answer === 'applied')).toHaveLength(1);
    expect((await statesInLog(id)).filter((state) => state === 'success')).toHaveLength(1);
  });

  test('may be started twice by the process that lost the answer, and by no other', async () => {
    const { id } = await newTask();
    await running(id);
    expect(await ask({ id, type: 'start', epoch: 1, worker })).toBe('applied');
    expect(await ask({ id, type: 'start', epoch: 1, worker: { ...worker, pid: 2 } })).toBe('stale');
  });
});

describe('a worker that is lost', () => {
  test('costs no try before it began, and one afterwards', async () => {
    const { id } = await newTask({ retries: 1, retryDelay: '1m' });
    await ask({ id, type: 'queue', epoch: 0, jobId: 1, executor: 'local' });
    expect(await ask({ id, type: 'lose', epoch: 1, reason: 'killed' })).toBe('applied');
    expect(await rowOf(id)).toMatchObject({ state: 'scheduled', try_number: 1, epoch: 2 });
    await ask({ id, type: 'queue', epoch: 2, jobId: 1, executor: 'local' });
    await ask({ id, type: 'start', epoch: 3, worker });
    expect(await ask({ id, type: 'lose', epoch: 3, reason: 'killed' })).toBe('applied');
    expect(await rowOf(id)).toMatchObject({ state: 'up_for_retry', try_number: 2 });
    const { rows } = await store.database.query(
      'select reason from task_attempt where task_instance_id = $1 order by epoch',
      [id],
    );
    expect(rows.map(({ reason }) => reason)).toEqual(['lost before it began: killed', 'worker_lost']);
  });
});

describe('a deferral', () => {
  test('stores trigger and resume point encrypted, and an event wakes the task once', async () => {
    const { id } = await newTask();
    await running(id);
    expect(await ask({ id, type: 'defer', epoch: 1, deferral: deferral() })).toBe('applied');
    const { trigger_id: triggerId, next_kwargs: next, ...row } = await rowOf(id);
    expect(row).toMatchObject({ state: 'deferred', epoch: 2, next_method: 'done' });
    expect(next.toString('latin1')).not.toContain('hunter2');
    expect(await count('active_task where task_instance_id = $1 and is_deferred', id)).toBe(1);
    const wake = {
      id: 0,
      type: 'wake',
      triggerId,
      leaseEpoch: 0,
      outcome: { type: 'event', payload: 'fired' },
    } as const;
    expect(await ask({ ...wake, leaseEpoch: 7 })).toBe('stale');
    const answers = await Promise.all([ask(wake), ask(wake), ask(wake)]);
    expect(answers.sort()).toEqual(['applied', 'stale', 'stale']);
    const woken = await rowOf(id);
    expect(woken).toMatchObject({ state: 'scheduled', epoch: 3, trigger_id: null });
    expect(store.cipher.decrypt(woken.next_kwargs, NEXT_PURPOSE)).toEqual({
      resume: deferral().resume,
      event: { payload: 'fired' },
    });
    expect(await count('trigger where id = $1', triggerId)).toBe(0);
  });

  test('may be handed on to another trigger without a worker', async () => {
    const { id } = await newTask();
    await running(id);
    await ask({ id, type: 'defer', epoch: 1, deferral: deferral() });
    const { trigger_id: triggerId } = await rowOf(id);
    const outcome = { type: 'deferred', deferral: { ...deferral(), timeoutMs: null } } as const;
    expect(await ask({ id: 0, type: 'wake', triggerId, leaseEpoch: 0, outcome })).toBe('applied');
    const after = await rowOf(id);
    expect(after).toMatchObject({ state: 'deferred', epoch: 3, trigger_timeout: null });
    expect(after.trigger_id).not.toBe(triggerId);
    expect(await count('trigger where task_instance_id = $1', id)).toBe(1);
  });

  test('of a task that is cleared or stopped leaves a trigger to be cancelled, with the reason', async () => {
    for (const [type, reason, state] of [
      ['clear', 'clear', 'none'],
      ['stop', 'stop', 'stopped'],
    ] as const) {
      const { id } = await newTask();
      await running(id);
      await ask({ id, type: 'defer', epoch: 1, deferral: deferral() });
      const { trigger_id: triggerId } = await rowOf(id);
      expect(await ask({ id, type })).toBe('applied');
      expect(await rowOf(id)).toMatchObject({ state, trigger_id: null });
      const { rows } = await store.database.query('select state, kill_reason from trigger where id = $1', [triggerId]);
      expect(rows).toEqual([{ state: 'cancelling', kill_reason: reason }]);
      expect(await ask({ id: 0, type: 'wake', triggerId, leaseEpoch: 0, outcome: { type: 'event', payload: 1 } })).toBe(
        'stale',
      );
    }
  });
});

describe('limits', () => {
  const queueAll = (ids: Iterable<number>) =>
    Promise.all([...ids].map((id) => ask({ id, type: 'queue', epoch: 0, jobId: 1, executor: 'local' })));

  test('of a pool hold when two schedulers queue at once', async () => {
    await store.database.query("insert into pool (name, slots) values ('small', 3)");
    const made = dag('pooled', {}, () => {
      for (let i = 0; i < 10; i += 1) task(`t${i}`, () => {}, { pool: 'small' });
    });
    const other = await import('../src/task-instances/change-writer.ts').then(
      ({ ChangeWriter }) => new ChangeWriter(store),
    );
    const { ids } = await createRun(store, made);
    const all = [...ids.values()];
    const answers = await Promise.all([
      queueAll(all.slice(0, 5)),
      ...all
        .slice(5)
        .map((id) =>
          other.submit({ id, type: 'queue', epoch: 0, jobId: 2, executor: 'local' }).then(({ answer }) => answer),
        ),
    ]);
    expect(answers.flat().filter((answer) => answer === 'applied')).toHaveLength(3);
    expect(await count("task_instance where id = any($1) and state = 'scheduled'", all)).toBe(7);
  });

  test('of a DAG count waiting tasks, pools do not', async () => {
    const made = dag('limited', { maxActiveTasks: 2 }, () => {
      for (let i = 0; i < 3; i += 1) task(`t${i}`, () => {});
    });
    const { ids } = await createRun(store, made);
    const [first, second, third] = [...ids.values()] as [number, number, number];
    await running(first);
    await ask({ id: first, type: 'defer', epoch: 1, deferral: deferral() });
    expect(await queueAll([second, third])).toEqual(['applied', 'noSlot']);
  });
});

describe('a batch', () => {
  test('is one transaction for many changes, and one that cannot be written does not fail the others', async () => {
    const made = dag('wide', { maxActiveTasks: 1000 }, () => {
      for (let i = 0; i < 100; i += 1) task(`t${i}`, () => {});
    });
    const { ids } = await createRun(store, made);
    const all = [...ids.values()];
    const before = store.database.statements;
    await Promise.all(all.map((id) => ask({ id, type: 'queue', epoch: 0, jobId: 1, executor: 'local' })));
    expect((store.database.statements - before) / all.length).toBeLessThan(1);
    await Promise.all(all.map((id) => ask({ id, type: 'start', epoch: 1, worker })));
    const broken = { state: 'success', result: { type: 'value', value: 'a\u0000b' } } as const;
    const answers = await Promise.allSettled(
      all.map((id, index) => ask({ id, type: 'finish', epoch: 1, report: index === 7 ? broken : success })),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1);
    expect(await count("task_instance where id = any($1) and state = 'success'", all)).toBe(99);
  });

  test('tells who listens in this process of each row it has left', async () => {
    const { id } = await newTask();
    const seen: string[] = [];
    const stop = store.writer.onCommitted((rows) => seen.push(...rows.map(({ row }) => `${row.id} ${row.state}`)));
    await running(id);
    stop();
    expect(seen).toEqual([`${id} queued`, `${id} running`]);
  });
});
