import {
  type ConnectionFields,
  DateTimeTrigger,
  dag,
  type SerializedTrigger,
  StaleEpochError,
  serializeTrigger,
  type TriggerLease,
  type TriggerSyncAnswer,
  task,
} from '@windhover/core';
import { MemoryLogStore, until } from '@windhover/core/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Notifications } from '../src/store/notifications.ts';
import { NEXT_PURPOSE } from '../src/task-instances/change-writer.ts';
import { TriggerApiServer, type TriggerApiServerOptions } from '../src/triggers/trigger-api-server.ts';
import type { HeldSyncRequest } from '../src/triggers/trigger-sync.ts';
import { createRun, createTestStore, type TestStore } from './support/store.ts';

const worker = { hostname: 'here', pid: 1, codeHash: 'x' };
const secret: ConnectionFields = { connType: 'aws', password: 'hunter2' };
let store: TestStore;
let notifications: Notifications;
let logStore: MemoryLogStore;
let servers: TriggerApiServer[];
let queue: string;
let tests = 0;

beforeAll(async () => {
  store = await createTestStore();
  notifications = new Notifications(store.database.url);
  await notifications.start();
});
afterAll(async () => {
  await notifications.close();
  await store.close();
});
beforeEach(() => {
  logStore = new MemoryLogStore();
  servers = [];
  // A queue of its own for each test: it sees no others' triggers.
  queue = `queue-${++tests}`;
});
afterEach(() => {
  for (const server of servers) server.close();
});

function newServer(options: Partial<TriggerApiServerOptions> = {}): TriggerApiServer {
  const lookup = { connection: async () => secret, variable: async () => 'value' };
  const server = new TriggerApiServer({ ...store, notifications, logStore, lookup, ...options });
  servers.push(server);
  return server;
}

const request = (triggererId: string, more: Partial<HeldSyncRequest> = {}): HeldSyncRequest => ({
  triggererId: `${triggererId} of ${queue}`,
  queues: [queue],
  codeHash: 'x',
  capacity: 100,
  done: [],
  progress: [],
  waitMs: 0,
  ...more,
});

const plainTrigger: SerializedTrigger = { classpath: 'p#T', kwargs: { password: 'hunter2' }, isShareable: false };

/** A task that has deferred; answers its id and that of its trigger. */
async function deferred(options: { trigger?: SerializedTrigger; priorityWeight?: number } = {}) {
  const { trigger = plainTrigger, priorityWeight = 1 } = options;
  const made = dag(
    'd',
    { maxActiveTasks: 1000 },
    () => void task('t', () => {}, { queue, priorityWeight, retries: 1 }),
  );
  const { ids, runId } = await createRun(store, made);
  const id = ids.get('t')!;
  const { writer } = store;
  await writer.submit({ id, type: 'queue', epoch: 0, jobId: 1, executor: 'local' });
  await writer.submit({ id, type: 'start', epoch: 1, worker });
  const resume = { methodName: 'done', kwargs: {}, hop: 1 };
  const deferral = { trigger, resume, timeoutMs: null, onTimeout: 'retry' } as const;
  expect(await writer.submit({ id, type: 'defer', epoch: 1, deferral })).toMatchObject({ answer: 'applied' });
  const { rows } = await store.database.query<{ triggerId: number; runId: string }>(
    `select t.trigger_id as "triggerId", r.run_id as "runId"
       from task_instance t join dag_run r on r.id = t.dag_run_id where t.id = $1`,
    [id],
  );
  return { id, triggerId: String(rows[0]!.triggerId), runId: rows[0]!.runId, dagRunId: runId };
}

const at = (moment: number) => serializeTrigger(new DateTimeTrigger({ moment: new Date(moment) }));
const leaseOf = (answer: TriggerSyncAnswer): TriggerLease => {
  const { triggerId, leaseEpoch } = answer.claimed[0]!;
  return { triggerId, leaseEpoch };
};
const event = (lease: TriggerLease) => ({ ...lease, outcome: { type: 'event', payload: 'fired' } as const });
const triggerRow = async (triggerId: string) =>
  (await store.database.query('select * from trigger where id = $1', [triggerId])).rows[0];
const taskRow = async (id: number) =>
  (await store.database.query('select * from task_instance where id = $1', [id])).rows[0];
const logOf = async (runId: string, attempt: number) =>
  (await logStore.read({ type: 'task', dagId: 'd', runId, taskId: 't', mapIndex: -1, attempt })).records.map(
    ({ message }) => message,
  );

describe('a sync', () => {
  test('that waits is answered when a task defers, with all that the trigger needs', async () => {
    const api = newServer();
    const waiting = api.sync(request('a', { waitMs: 10_000 }));
    await store.database.query(
      `with version as (insert into dag_version (dag_id, hash, serialized) values ('d', 'h', '{}') returning id)
       insert into dag (dag_id, file, code_hash, version_id) select 'd', 'dags/d.ts', 'x', id from version`,
    );
    const { triggerId, runId } = await deferred();
    const { claimed, dropped, now, leaseMs } = await waiting;
    expect({ dropped, leaseMs }).toEqual({ dropped: [], leaseMs: 30_000 });
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
    expect(claimed).toMatchObject([
      {
        triggerId,
        leaseEpoch: 1,
        classpath: 'p#T',
        kwargs: { password: 'hunter2' },
        checkpoint: null,
        state: { type: 'waiting' },
        owner: {
          type: 'task',
          task: {
            key: { dagId: 'd', runId, taskId: 't', mapIndex: -1 },
            dagFile: 'dags/d.ts',
            attempt: 1,
            tryNumber: 1,
            params: {},
            conf: {},
          },
        },
      },
    ]);
    const { rows } = await store.database.query('select type, state from job where name = $1', [`a of ${queue}`]);
    expect(rows).toEqual([{ type: 'Triggerer', state: 'running' }]);
  });

  test('asks the database nothing while nothing happens', async () => {
    // A database of its own: nothing but this happens there.
    const quiet = await createTestStore();
    const { database } = quiet;
    const api = newServer({ ...quiet, notifications: { on: () => () => {} } });
    await api.sync(request('a'));
    const atFirst = database.statements;
    await api.sync(request('a'));
    const withoutWait = database.statements - atFirst;
    await api.sync(request('a', { waitMs: 200 }));
    // One more: when the timer is to ring.
    expect(database.statements - atFirst).toBe(2 * withoutWait + 1);
    await api.sync(request('a', { waitMs: 200 }));
    expect(database.statements - atFirst).toBe(3 * withoutWait + 1);
    api.close();
    await quiet.close();
  });

  test('of two triggerers at two servers never gives both the same trigger', async () => {
    const all: string[] = [];
    for (let i = 0; i < 60; i += 1) all.push((await deferred()).triggerId);
    const apis = [newServer(), newServer()];
    const claimed: string[] = [];
    const claim = async (index: number) => {
      const answer = await apis[index % 2]!.sync(request(`t${index}`, { capacity: 7 }));
      claimed.push(...answer.claimed.map(({ triggerId }) => triggerId));
      if (answer.claimed.length > 0) await claim(index);
    };
    await Promise.all([0, 1, 2, 3].map(claim));
    await claim(4);
    expect(claimed.toSorted()).toEqual(all.toSorted());
  });

  test('gives the most urgent first, and what is to be cancelled before all', async () => {
    const api = newServer();
    const [low, high, killed] = [
      await deferred({ priorityWeight: 1 }),
      await deferred({ priorityWeight: 9 }),
      await deferred(),
    ];
    await store.writer.submit({ id: killed.id, type: 'stop' });
    const order: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { claimed } = await api.sync(request('a', { capacity: 1 }));
      order.push(...claimed.map(({ triggerId }) => triggerId));
    }
    expect(order).toEqual([killed.triggerId, high.triggerId, low.triggerId]);
  });

  test('gives a trigger that waits for its hour only five seconds before, and is woken for it', async () => {
    const api = newServer();
    await deferred({ trigger: at(Date.now() + 3_600_000) });
    const near = await deferred({ trigger: at(Date.now() + 4_000) });
    const { claimed } = await api.sync(request('a'));
    expect(claimed.map(({ triggerId }) => triggerId)).toEqual([near.triggerId]);
    const waiting = api.sync(request('a', { waitMs: 10_000 }));
    const soon = await deferred({ trigger: at(Date.now() + 5_300) });
    expect((await waiting).claimed).toMatchObject([{ triggerId: soon.triggerId }]);
  });

  test('that waits is answered when a newer one of its triggerer comes', async () => {
    const api = newServer();
    const older = api.sync(request('a', { waitMs: 10_000 }));
    const newer = api.sync(request('a', { waitMs: 10_000 }));
    expect(await older).toMatchObject({ claimed: [], dropped: [] });
    const { triggerId } = await deferred();
    expect((await newer).claimed).toMatchObject([{ triggerId }]);
  });

  test('that got lost claims nothing once its triggerer has begun anew at another server', async () => {
    const lost = newServer().sync(request('a', { waitMs: 10_000 }));
    const outcome = expect(lost).rejects.toThrow(StaleEpochError);
    const epoch = async () =>
      (await store.database.query('select epoch from job where name = $1', [`a of ${queue}`])).rows[0]?.epoch;
    await until(async () => (await epoch()) === 0, 'the first sync has registered the triggerer');
    const anew = newServer().sync(request('a', { waitMs: 10_000, held: [] }));
    await until(async () => (await epoch()) === 1, 'the triggerer has begun anew');
    const { triggerId } = await deferred();
    expect((await anew).claimed).toMatchObject([{ triggerId }]);
    await outcome;
  });

  test('with the leases a triggerer has sets right what a lost answer left', async () => {
    const api = newServer();
    const kept = await deferred();
    const known = leaseOf(await api.sync(request('a')));
    const { triggerId } = await deferred();
    const lost = leaseOf(await api.sync(request('a')));
    const believed = { triggerId: '999999999', leaseEpoch: 3 };
    const answer = await api.sync(request('a', { held: [known, believed] }));
    expect(answer.dropped).toEqual([{ ...believed, reason: 'leaseLost' }]);
    expect(answer.claimed).toMatchObject([{ triggerId, leaseEpoch: lost.leaseEpoch + 1 }]);
    expect(await triggerRow(kept.triggerId)).toMatchObject({ triggerer_id: `a of ${queue}`, lease_epoch: 1 });
  });

  test('stores what triggers saw last, in one statement, and nothing of those it does not hold', async () => {
    const api = newServer();
    const { triggerId } = await deferred();
    const other = await deferred();
    const { claimed } = await api.sync(request('a'));
    const { database } = store;
    const idle = await countStatements(() => api.sync(request('a')));
    const progress = { lastPollAt: '2026-01-01T00:00:00.000Z', outcome: 'nothing', nextPollAt: null } as const;
    const held = claimed.find((each) => each.triggerId === triggerId)!;
    const seen = [
      { triggerId, leaseEpoch: held.leaseEpoch, ...progress },
      { triggerId: other.triggerId, leaseEpoch: 7, ...progress },
    ];
    expect(await countStatements(() => api.sync(request('a', { progress: seen })))).toBe(idle + 1);
    expect(await triggerRow(triggerId)).toMatchObject({ last_poll: progress });
    expect(await triggerRow(other.triggerId)).toMatchObject({ last_poll: null });

    async function countStatements(act: () => Promise<unknown>): Promise<number> {
      const before = database.statements;
      await act();
      return database.statements - before;
    }
  });

  test('is not failed by a trigger that cannot be decrypted: its task fails, the others get on', async () => {
    const api = newServer();
    const broken = await deferred();
    const { triggerId } = await deferred();
    await store.database.query("update trigger set kwargs = 'nonsense' where id = $1", [broken.triggerId]);
    expect((await api.sync(request('a'))).claimed).toMatchObject([{ triggerId }]);
    expect(await taskRow(broken.id)).toMatchObject({ state: 'failed', error: { code: 'E_DECRYPT' } });
  });
});

describe('the holder of a lease', () => {
  test('resumes its task once, and is told so when it says it again', async () => {
    const api = newServer();
    const { id, triggerId } = await deferred();
    const lease = leaseOf(await api.sync(request('a')));
    const wrong = { triggerId, leaseEpoch: lease.leaseEpoch + 1 };
    const twice = await api.submit([event(lease), event(wrong), event(lease)]);
    expect(twice).toEqual(['applied', 'stale', 'duplicate']);
    expect(await api.submit([event(lease)])).toEqual(['duplicate']);
    const row = await taskRow(id);
    expect(row).toMatchObject({ state: 'scheduled', epoch: 3, trigger_id: null });
    expect(store.cipher.decrypt(row.next_kwargs, NEXT_PURPOSE)).toMatchObject({ event: { payload: 'fired' } });
    expect(await triggerRow(triggerId)).toBeUndefined();
  });

  test('commits many events together', async () => {
    const api = newServer();
    for (let i = 0; i < 50; i += 1) await deferred();
    const { claimed } = await api.sync(request('a'));
    const before = store.database.transactions;
    const answers = await api.submit(claimed.map(event));
    expect(answers).toEqual(claimed.map(() => 'applied'));
    expect(store.database.transactions - before).toBe(1);
  });

  test('fails its task by an event that cannot be stored, and does not fail the others', async () => {
    const api = newServer();
    const [broken, fine] = [await deferred(), await deferred()];
    const { claimed } = await api.sync(request('a'));
    const leases = [broken, fine].map(({ triggerId }) => claimed.find((each) => each.triggerId === triggerId)!);
    const nul = { type: 'success', result: { type: 'value', value: 'a\u0000b' } } as const;
    expect(await api.submit([{ ...leases[0]!, outcome: nul }, event(leases[1]!)])).toEqual(['applied', 'applied']);
    expect(await taskRow(broken.id)).toMatchObject({ state: 'up_for_retry' });
    expect(await taskRow(fine.id)).toMatchObject({ state: 'scheduled' });
  });

  test('finds its checkpoint again after the trigger was handed back', async () => {
    const api = newServer();
    const { triggerId } = await deferred();
    const lease = leaseOf(await api.sync(request('a')));
    await api.saveCheckpoint(lease, { cursor: 'hunter2' });
    expect((await triggerRow(triggerId)).checkpoint.toString('latin1')).not.toContain('hunter2');
    const waiting = api.sync(request('b', { waitMs: 10_000 }));
    await api.sync(request('a', { capacity: 0, done: [{ ...lease, outcome: 'handedBack' }] }));
    const { claimed } = await waiting;
    expect(claimed).toMatchObject([{ triggerId, leaseEpoch: 2, checkpoint: { cursor: 'hunter2' } }]);
    await expect(api.saveCheckpoint(lease, { cursor: 'old' })).rejects.toThrow(StaleEpochError);
  });

  test('alone gets connections, variables, XComs and the states of runs', async () => {
    const api = newServer();
    const { triggerId, runId, dagRunId } = await deferred();
    await store.database.query(
      `insert into xcom (dag_run_id, task_id, map_index, key, attempt, value) values ($1, 'up', -1, 'k', 1, '5')`,
      [dagRunId],
    );
    const lease = leaseOf(await api.sync(request('a')));
    const xcom = { taskId: 'up', key: 'k', mapIndex: -1 };
    expect(await api.connection(lease, 'aws')).toEqual(secret);
    expect(await api.variable(lease, 'v')).toBe('value');
    expect(await api.getXCom(lease, xcom)).toEqual({ type: 'value', value: 5 });
    expect(await api.getXCom(lease, { ...xcom, key: 'other' })).toEqual({ type: 'none' });
    expect(await api.runStates(lease, { dagId: 'd', runIds: [runId], taskIds: ['t'] })).toMatchObject([
      { runId, tasks: { t: 'deferred' } },
    ]);
    const other = { triggerId, leaseEpoch: lease.leaseEpoch - 1 };
    await api.sync(request('a', { capacity: 0, done: [{ ...lease, outcome: 'handedBack' }] }));
    for (const old of [other, lease]) {
      await expect(api.connection(old, 'aws')).rejects.toThrow(StaleEpochError);
      await expect(api.variable(old, 'v')).rejects.toThrow(StaleEpochError);
      await expect(api.getXCom(old, xcom)).rejects.toThrow(StaleEpochError);
      await expect(api.runStates(old, { dagId: 'd' })).rejects.toThrow(StaleEpochError);
      await expect(api.saveCheckpoint(old, 1)).rejects.toThrow(StaleEpochError);
    }
  });

  test('writes to the log of the attempt that waits, also its last lines after the event', async () => {
    const api = newServer();
    const { runId } = await deferred();
    const lease = leaseOf(await api.sync(request('a')));
    const line = (sequence: number, message: string) => {
      const records = [{ at: '2026-01-01T00:00:00.000Z', level: 'info', message } as const];
      return { ...lease, writer: `trigger:${lease.triggerId}`, sequence, records };
    };
    await api.log([line(0, 'waiting'), line(0, 'waiting')]);
    await api.submit([event(lease)]);
    const late = { ...line(7, 'not mine'), leaseEpoch: 9 };
    await expect(api.log([late, line(1, 'cleaned up')])).rejects.toThrow(StaleEpochError);
    expect(await logOf(runId, 1)).toEqual(['waiting', 'cleaned up']);
  });
});

describe('a lease that has ended', () => {
  test('moves the trigger, and the former holder can do nothing any more', async () => {
    const api = newServer({ leaseMs: 500 });
    const { id, triggerId } = await deferred();
    const old = leaseOf(await api.sync(request('a')));
    let moved: TriggerSyncAnswer | undefined;
    await until(async () => {
      const answer = await api.sync(request('b', { waitMs: 10_000 }));
      if (answer.claimed.length > 0) moved = answer;
      return moved;
    }, 'the trigger has moved to the other triggerer');
    expect(moved!.claimed).toMatchObject([{ triggerId, leaseEpoch: 2 }]);
    expect(await api.submit([event(old)])).toEqual(['stale']);
    expect(await taskRow(id)).toMatchObject({ state: 'deferred' });
    expect((await api.sync(request('a', { capacity: 0 }))).dropped).toEqual([{ ...old, reason: 'leaseLost' }]);
    expect((await api.sync(request('a', { capacity: 0 }))).dropped).toEqual([]);
    expect(await api.submit([event(leaseOf(moved!))])).toEqual(['applied']);
  });

  test('is renewed for all triggers of a triggerer without touching them', async () => {
    const api = newServer();
    const { triggerId } = await deferred();
    await api.sync(request('a'));
    const facts = async () =>
      (
        await store.database.query(
          'select j.expires_at as "expiresAt", t.xmin as version from trigger t join job j on j.name = t.triggerer_id where t.id = $1',
          [triggerId],
        )
      ).rows[0];
    const before = await facts();
    await store.database.query("update job set expires_at = now() + interval '1 second' where name = $1", [
      `a of ${queue}`,
    ]);
    await api.sync(request('a'));
    const after = await facts();
    expect(after.version).toBe(before.version);
    expect(after.expiresAt.getTime()).toBeGreaterThanOrEqual(before.expiresAt.getTime());
  });
});

describe('killing a deferred task', () => {
  test('takes the trigger from its holder at once, and the next claimer cancels it', async () => {
    const api = newServer();
    const { id, triggerId } = await deferred();
    const lease = leaseOf(await api.sync(request('a')));
    const waiting = api.sync(request('a', { capacity: 0, waitMs: 10_000 }));
    await store.writer.submit({ id, type: 'clear' });
    expect((await waiting).dropped).toEqual([{ ...lease, reason: 'killed' }]);
    expect(await api.submit([event(lease)])).toEqual(['stale']);
    const answer = await api.sync(request('b'));
    // The task has begun another attempt; the trigger still belongs to the first.
    expect(answer.claimed).toMatchObject([
      { triggerId, state: { type: 'cancelling', reason: 'clear' }, owner: { task: { attempt: 1 } } },
    ]);
    const cancelling = leaseOf(answer);
    expect(await api.connection(cancelling, 'aws')).toEqual(secret);
    await api.sync(request('b', { done: [{ ...lease, outcome: 'killed' }] }));
    expect(await triggerRow(triggerId)).toBeDefined();
    await api.sync(request('b', { done: [{ ...cancelling, outcome: 'killed' }] }));
    expect(await triggerRow(triggerId)).toBeUndefined();
  });

  test('tells in the log of the attempt if the outside work could not be cancelled', async () => {
    const api = newServer();
    const { id, triggerId, runId } = await deferred();
    await store.writer.submit({ id, type: 'clear' });
    const lease = leaseOf(await api.sync(request('a')));
    const error = { name: 'Error', message: 'The service is down.' };
    await api.sync(request('a', { done: [{ ...lease, outcome: 'killFailed', error }] }));
    expect(await triggerRow(triggerId)).toBeUndefined();
    expect(await logOf(runId, 1)).toEqual([
      'The task was killed, but onKill of p#T failed for good: The service is down. What it waited for may still run; cancel it by hand.',
    ]);
  });
});
