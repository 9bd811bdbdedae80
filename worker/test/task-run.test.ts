import {
  BaseOperator,
  type Context,
  dag,
  type KillReason,
  StaleEpochError,
  TaskRescheduled,
  TaskSkipped,
  TimeDeltaTrigger,
  type TriggerEvent,
  task,
  template,
} from '@windhover/core';
import { MemoryXComBackend, until } from '@windhover/core/testing';
import { expect, test } from 'vitest';
import { type RunTaskOptions, runTask } from '../src/index.ts';
import { type MemoryTask, MemoryTaskApi, type TaskOptions } from './fixtures/tasks/memory-task-api.ts';

const IDENTITY = { hostname: 'here', pid: 1, codeHash: 'c1' };

interface Run {
  readonly api: MemoryTaskApi;
  readonly task: MemoryTask;
  readonly end: ReturnType<typeof runTask>;
}

/** Runs one task of a DAG in this process. */
function run(
  make: () => BaseOperator<any, any>,
  options: TaskOptions & Partial<RunTaskOptions> & { api?: MemoryTaskApi } = {},
): Run {
  const { api = new MemoryTaskApi() } = options;
  let operator!: BaseOperator<any, any>;
  dag('tasks', {}, () => {
    operator = make();
  });
  const added = api.add(operator.taskId, options);
  const end = runTask(added.workload, { taskApi: api, identity: IDENTITY, loadTask: async () => operator, ...options });
  return { api, task: added, end };
}

test('a task gets the facts of its run, and its result is reported', async () => {
  const { task: done, end } = run(
    () =>
      task('facts', (context, { day }) => ({ day, attempt: context.attempt, conf: context.conf, now: context.now() }), {
        inputs: { day: template(({ logicalDate }) => logicalDate) },
      }),
    { facts: { attempt: 3, conf: { a: 1 }, now: '2031-05-05T05:05:05.000Z' } },
  );
  expect(await end).toEqual({ type: 'success', isProcessSpoilt: false });
  expect(done.report).toEqual({
    state: 'success',
    result: {
      type: 'value',
      value: {
        day: { $date: '2026-01-01T00:00:00.000Z' },
        attempt: 3,
        conf: { a: 1 },
        // By the database's clock, not by this machine's.
        now: { $date: expect.stringMatching(/^2031-05-05T05:05:0/) },
      },
    },
  });
  expect(done.chunks).toEqual([]);
});

test('everything a context offers reaches the platform under its hand-off', async () => {
  const api = new MemoryTaskApi();
  api.connections.acme = { connType: 'http', host: 'acme.example' };
  api.variables.color = 'red';
  const { task: done, end } = run(
    () =>
      task('all', async (context) => {
        await context.xcom.push('mine', new Map([['k', 1n]]));
        const { pull } = context.xcom;
        await context.skipDownstream(['x']);
        await context.sendSignal('s', 1);
        const run = await context.triggerDagRun('other', { logicalDate: new Date('2026-02-01T00:00:00.000Z') });
        await context.triggerDagRun('other');
        const [states] = await context.runStates({ dagId: 'other', logicalDates: [run.logicalDate] });
        return {
          pulled: await pull('all', { key: 'mine' }),
          nothing: (await pull('nobody')) === undefined,
          host: (await context.connection('acme')).host,
          color: await context.variable('color'),
          date: states!.logicalDate,
          polled: await context.poll(async () => 'found', { interval: '1s' }),
          missing: [
            await context.connection('b').catch((error) => error.code),
            await context.variable('b').catch((error) => error.code),
          ],
        };
      }),
    { api },
  );
  await end;
  expect(done.report).toMatchObject({
    result: {
      value: {
        pulled: { $map: [['k', { $bigint: '1' }]] },
        nothing: true,
        host: 'acme.example',
        color: 'red',
        date: { $date: '2026-02-01T00:00:00.000Z' },
        polled: 'found',
        missing: ['E_CONNECTION_NOT_FOUND', 'E_VARIABLE_NOT_FOUND'],
      },
    },
  });
  expect(api.skipped).toEqual(['x']);
  expect(new Set(api.dagRuns.map(({ dedupeKey }) => dedupeKey)).size).toBe(2);
});

test('a failure is reported as it is; whether to try again is not decided here', async () => {
  const { task: done, end } = run(() =>
    task(
      'fail',
      () => {
        throw new RangeError('too far', { cause: new Error('below') });
      },
      { retries: 5 },
    ),
  );
  expect(await end).toEqual({ type: 'failed', isProcessSpoilt: false });
  expect(done.report).toMatchObject({
    state: 'failed',
    error: { name: 'RangeError', message: 'too far', cause: { message: 'below' } },
  });
  expect(done.lines.join()).toContain('RangeError: too far');
});

test('a task that cannot be loaded or rendered has failed', async () => {
  const unloaded = run(() => task('a', () => 1), { loadTask: () => Promise.reject(new Error('no such file')) });
  expect(await unloaded.end).toMatchObject({ type: 'failed' });
  expect(unloaded.task.report).toMatchObject({ error: { message: 'no such file' } });
  const unrendered = run(() =>
    task('a', () => 1, { inputs: template(() => Promise.reject(new Error('nothing there'))) }),
  );
  expect(await unrendered.end).toMatchObject({ type: 'failed' });
  expect(unrendered.task.report).toMatchObject({ error: { code: 'E_TEMPLATE' } });
});

test('skips and reschedules are reported as such', async () => {
  const skipped = run(() =>
    task('a', () => {
      throw new TaskSkipped('not today');
    }),
  );
  expect(await skipped.end).toMatchObject({ type: 'skipped' });
  expect(skipped.task.report).toEqual({ state: 'skipped', reason: 'not today' });
  const later = run(() =>
    task('a', () => {
      throw new TaskRescheduled(new Date('2026-05-01T00:00:00.000Z'));
    }),
  );
  expect(await later.end).toMatchObject({ type: 'rescheduled' });
  expect(later.task.report).toMatchObject({ state: 'rescheduled', at: '2026-05-01T00:00:00.000Z' });
});

class WaitingOperator extends BaseOperator<string> {
  async execute(): Promise<string> {
    this.defer({ trigger: new TimeDeltaTrigger({ delta: '1h' }), resume: this.executeComplete, kwargs: { n: 1 } });
  }

  executeComplete(_context: Context, event: TriggerEvent<Date>, kwargs: { n: number }): string {
    return `${event.payload.toISOString()} ${kwargs.n}`;
  }
}

test('a deferred operator goes on in its method with event and kwargs', async () => {
  const make = () => new WaitingOperator({ taskId: 'wait' });
  const first = run(make, { assertResolvesTo: async () => {} });
  expect(await first.end).toMatchObject({ type: 'deferred' });
  const report = first.task.report!;
  if (report.state !== 'deferred') throw new Error(report.state);
  expect(report.deferral).toMatchObject({
    trigger: { classpath: '@windhover/core#TimeDeltaTrigger', kwargs: { delta: '1h' } },
    resume: { methodName: 'executeComplete', kwargs: { n: 1 }, hop: 1 },
  });
  const second = run(make, {
    facts: { resume: report.deferral.resume, event: { payload: { $date: '2026-01-01T01:00:00.000Z' } } },
  });
  await second.end;
  expect(second.task.report).toMatchObject({ result: { value: '2026-01-01T01:00:00.000Z 1' } });
});

test('a trigger whose classpath leads elsewhere fails the task, and nothing is deferred', async () => {
  const {
    api,
    task: done,
    end,
  } = run(() => new WaitingOperator({ taskId: 'wait' }), {
    assertResolvesTo: (classpath, target) => Promise.reject(new TypeError(`${classpath} is not ${target.name}`)),
  });
  expect(await end).toMatchObject({ type: 'failed' });
  expect(done.report).toMatchObject({
    error: { message: '@windhover/core#TimeDeltaTrigger is not TimeDeltaTrigger' },
  });
  expect(api.calls).not.toContain('defer');
});

test('steps are done once over a deferral and a retry, and the event becomes a step', async () => {
  const api = new MemoryTaskApi();
  let submitted = 0;
  const make = () =>
    task('job', async (context) => {
      const id = await context.step('submit', () => `job ${++submitted}`);
      const at = await context.defer('wait', new TimeDeltaTrigger({ delta: '1h' }));
      await context.step('note', () => undefined);
      return `${id} at ${at.toISOString()}`;
    });
  const first = run(make, { api });
  expect(await first.end).toMatchObject({ type: 'deferred' });
  if (first.task.report?.state !== 'deferred') throw new Error('not deferred');
  const { resume } = first.task.report.deferral;
  const facts = { resume, event: { payload: { $date: '2026-01-01T01:00:00.000Z' } }, steps: first.task.steps };
  const second = run(make, { api, facts });
  await second.end;
  expect(second.task.report).toMatchObject({ result: { value: 'job 1 at 2026-01-01T01:00:00.000Z' } });
  expect(second.task.steps.map(({ name, sequence }) => [sequence, name])).toEqual([
    [1, 'wait'],
    [2, 'note'],
  ]);
  // A retry begins at `execute` with what is stored.
  const retry = run(make, { api, facts: { steps: [...first.task.steps, ...second.task.steps] } });
  await retry.end;
  expect(retry.task.report).toMatchObject({ state: 'success' });
  expect(submitted).toBe(1);
});

test('an XCom that is too large is refused with key, size, limit and a way out', async () => {
  const { task: pushed, end } = run(() => task('big', (context) => context.xcom.push('rows', 'x'.repeat(2_000_000))));
  await end;
  expect(pushed.report).toMatchObject({
    error: {
      code: 'E_XCOM_TOO_LARGE',
      message:
        'XCom "rows" of task "big" has 2000002 bytes as JSON; the limit is 1000000. Keep the data in a file, a bucket or a ' +
        'table and pass its name, or configure an XCom backend, which keeps large values outside the database.',
    },
  });
  const returned = run(() => task('big', () => 'ü'.repeat(10)), { xcomLimitBytes: 20 });
  await returned.end;
  expect(returned.task.report).toMatchObject({
    error: {
      code: 'E_XCOM_TOO_LARGE',
      message: expect.stringContaining('The result of task "big" has 22 bytes as JSON'),
    },
  });
});

test('an XCom backend keeps what is too large, and gives it back', async () => {
  const api = new MemoryTaskApi();
  const options = { api, xcomBackend: new MemoryXComBackend(), xcomLimitBytes: 100 };
  const producer = run(
    () =>
      task('producer', async (context) => {
        await context.xcom.push('large', new Set(['x'.repeat(200)]));
        await context.xcom.push('small', 1);
        return 'y'.repeat(200);
      }),
    options,
  );
  await producer.end;
  expect([...producer.task.xcoms].map(([key, { type }]) => [key, type])).toEqual([
    ['large', 'reference'],
    ['small', 'value'],
  ]);
  expect(producer.task.report).toMatchObject({ state: 'success', result: { type: 'reference' } });
  const pull = () =>
    task('consumer', async (context) => (await context.xcom.pull<Set<string>>('producer', { key: 'large' }))!.size);
  const consumer = run(pull, options);
  await consumer.end;
  expect(consumer.task.report).toMatchObject({ result: { value: 1 } });
  const without = run(pull, { api });
  await without.end;
  expect(without.task.report).toMatchObject({ error: { code: 'E_XCOM_BACKEND_MISSING' } });
});

test('secrets are masked in the log and in the error', async () => {
  const api = new MemoryTaskApi();
  const key = '-----BEGIN KEY-----\nabc+def/ghi\n-----END KEY-----';
  api.connections.acme = {
    connType: 'http',
    password: 'p@ss word',
    extra: { region: 'eu-west-1', auth: { apiToken: 'tok-1' }, keyfile: JSON.stringify({ private_key: key }) },
  };
  api.variables.db_password = 'hunter22';
  const { task: done, end } = run(
    () =>
      task('secrets', async (context) => {
        context.log.info('before: p@ss word');
        const { password, extra } = await context.connection('acme');
        await context.variable('db_password');
        context.log.info(`uri https://u:${encodeURIComponent(password!)}@host in ${extra.region}`, {
          nested: ['tok-1'],
        });
        context.log.info(`key ${key}`);
        context.log.info('line abc+def/ghi alone, hunter22, given-by-platform');
        throw new Error(`login with ${password} failed`);
      }),
    { api, facts: { secretsToMask: ['given-by-platform'] } },
  );
  await end;
  const text = JSON.stringify([done.records, done.report]);
  for (const secret of ['p@ss', 'p%40ss', 'tok-1', 'abc+def', 'hunter22', 'given-by-platform']) {
    expect(text).not.toContain(secret);
  }
  expect(done.lines[1]).toBe('uri https://u:***@host in eu-west-1');
  expect(done.report).toMatchObject({ error: { message: 'login with *** failed' } });
});

class StoppableOperator extends BaseOperator<string, { isDeaf: boolean }> {
  static kills: KillReason[] = [];

  async execute(context: Context): Promise<string> {
    await (this.args.isDeaf ? new Promise(() => {}) : context.sleep('1h'));
    return 'never';
  }

  override async onKill(_context: Context, reason: KillReason): Promise<void> {
    StoppableOperator.kills.push(reason);
  }
}

const stoppable = (isDeaf: boolean) => () => {
  StoppableOperator.kills = [];
  return new StoppableOperator({ taskId: 'stoppable', isDeaf });
};

test('a stop aborts the signal, calls onKill and is reported as stopped', async () => {
  const { task: done, end } = run(stoppable(false));
  await until(() => done.beats > 1, 'it beats');
  done.beat = { action: 'stop', reason: 'user', graceMs: 60_000 };
  expect(await end).toEqual({ type: 'stopped', isProcessSpoilt: false });
  expect(done.report).toEqual({ state: 'stopped' });
  expect(StoppableOperator.kills).toEqual(['user']);
  expect(done.lines).toEqual(['The task was stopped (user).']);
});

test('code that ignores a stop is left behind after the grace, and its process is spoilt', async () => {
  const { task: done, end } = run(stoppable(true));
  done.beat = { action: 'stop', reason: 'clear', graceMs: 50 };
  expect(await end).toEqual({ type: 'stopped', isProcessSpoilt: true });
  expect(done.report).toEqual({ state: 'stopped' });
});

test('the deadline is the database clock’s, and fails the task', async () => {
  const facts = { now: '2031-01-01T00:00:00.000Z', deadlineAt: '2031-01-01T00:00:00.050Z' };
  const { task: done, end } = run(
    () => new StoppableOperator({ taskId: 'late', isDeaf: false, executionTimeout: '5m' }),
    { facts },
  );
  StoppableOperator.kills = [];
  expect(await end).toMatchObject({ type: 'failed', isProcessSpoilt: false });
  expect(done.report).toMatchObject({
    error: { code: 'E_EXECUTION_TIMEOUT', message: expect.stringContaining('executionTimeout of 300000 ms') },
  });
  expect(StoppableOperator.kills).toEqual(['timeout']);
});

test('who has lost its epoch aborts, does not call onKill and reports nothing', async () => {
  const { api, task: done, end } = run(stoppable(false));
  await until(() => done.beats > 0, 'it beats');
  done.epoch += 1;
  expect(await end).toEqual({ type: 'abandoned', isProcessSpoilt: false });
  expect(done.report).toBeNull();
  expect(StoppableOperator.kills).toEqual([]);
  expect(api.calls).not.toContain('finish');
});

test('a lost epoch is also seen by a step, by the report, and at the start', async () => {
  const step = run(() =>
    task('a', async (context) => {
      step.task.epoch += 1;
      await context.step('b', () => 1).catch(() => {});
      return context.signal.aborted;
    }),
  );
  expect(await step.end).toMatchObject({ type: 'abandoned' });
  const report = run(() =>
    task('a', () => {
      report.task.epoch += 1;
    }),
  );
  expect(await report.end).toMatchObject({ type: 'abandoned' });
  const start = run(() => task('a', () => 1));
  start.task.epoch += 1;
  expect(await start.end).toMatchObject({ type: 'abandoned' });
});

test('a worker that is to end aborts its task and reports nothing', async () => {
  const shutdown = new AbortController();
  const { task: done, end } = run(stoppable(false), { signal: shutdown.signal });
  await until(() => done.beats > 0, 'it beats');
  shutdown.abort(new Error('bye'));
  expect(await end).toEqual({ type: 'abandoned', isProcessSpoilt: false });
  expect(StoppableOperator.kills).toEqual(['stop']);
  expect(done.report).toBeNull();
});

test('a report that fails in passing is made again; heartbeats that fail are borne', async () => {
  const api = new MemoryTaskApi();
  let failures = 3;
  api.onCall = (method) => {
    if (method === 'heartbeat') throw new Error('lost on the way');
    if (method === 'finish' && failures-- > 0) throw Object.assign(new Error('busy'), { status: 503 });
  };
  const { task: done, end } = run(() => task('a', (context) => context.sleep(80)), { api });
  expect(await end).toMatchObject({ type: 'success' });
  expect(done.report).toMatchObject({ state: 'success' });
});

test('a platform that cannot be reached rejects, before the start and after the end', async () => {
  for (const broken of ['start', 'finish']) {
    const api = new MemoryTaskApi();
    api.onCall = (method) => {
      if (method === broken) throw new Error('database is gone');
    };
    await expect(run(() => task('a', () => 1), { api }).end).rejects.toThrow('database is gone');
  }
});

test('the log goes in numbered chunks before the report, and again if it did not arrive', async () => {
  const api = new MemoryTaskApi();
  let failures = 1;
  api.onCall = (method) => {
    if (method === 'log' && failures-- > 0) throw Object.assign(new Error('busy'), { status: 503 });
  };
  const { task: done, end } = run(
    () =>
      task('talk', (context) => {
        for (let i = 0; i < 2_500; i++) context.log.debug(`line ${i}`);
        context.log.error('x'.repeat(300_000));
      }),
    { api, workload: { epoch: 4 } },
  );
  await end;
  expect(done.chunks.map(({ writer, sequence }) => `${writer} ${sequence}`)).toEqual(
    done.chunks.map((_, index) => `worker:4 ${index}`),
  );
  expect(done.lines.slice(0, 2_500)).toEqual(Array.from({ length: 2_500 }, (_, index) => `line ${index}`));
  expect(done.lines.slice(2_500).join('')).toBe('x'.repeat(300_000));
  expect(api.calls.lastIndexOf('log')).toBeLessThan(api.calls.indexOf('finish'));
});

test('a log that cannot be kept does not fail the task, and a lost epoch there ends it', async () => {
  const api = new MemoryTaskApi();
  api.onCall = (method) => {
    if (method === 'log') throw new Error('disk full');
  };
  const talk = () => task('talk', (context) => context.log.info('hello'));
  expect(await run(talk, { api }).end).toMatchObject({ type: 'success' });
  api.onCall = (method) => {
    if (method === 'log') throw new StaleEpochError('Task instance 1', 1);
  };
  expect(await run(talk, { api }).end).toMatchObject({ type: 'abandoned' });
});
