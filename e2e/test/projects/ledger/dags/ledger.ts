import { randomUUID } from 'node:crypto';
import { type Context, chain, dag, TimeDeltaTrigger, task } from '@windhover/core';
import pg from 'pg';

// Each task writes into a table outside the platform's when it begins, beats while it runs, and writes its end: what
// really ran is told by this table, whatever the platform believes.
let ledger: Promise<pg.Client> | undefined;

async function connect(context: Context): Promise<pg.Client> {
  const { host, port, login, password, schema } = await context.connection('ledger');
  const client = new pg.Client({ host, port, user: login, password, database: schema } as pg.ClientConfig);
  await client.connect();
  return client;
}

async function work(context: Context): Promise<void> {
  ledger ??= connect(context);
  const client = await ledger;
  const id = randomUUID();
  const beat = () => client.query('update entry set beat_at = clock_timestamp() where id = $1', [id]);
  await client.query(
    'insert into entry (id, run_id, task_id, attempt, try_number, pid) values ($1, $2, $3, $4, $5, $6)',
    [id, context.runId, context.taskId, context.attempt, context.tryNumber, process.pid],
  );
  for (let beats = 0; beats < 3; beats += 1) {
    await context.sleep(50);
    await beat();
  }
  await client.query('update entry set ended_at = clock_timestamp(), beat_at = clock_timestamp() where id = $1', [id]);
}

const options = { retries: 3, retryDelay: '100ms' } as const;

/** Twenty tasks: a chain of four, a fan of twelve, a chain of four. */
export const twenty = dag('twenty', { maxActiveRuns: 50, maxActiveTasks: 100 }, () => {
  const tasks = Array.from({ length: 20 }, (_, n) => task(`t${n}`, work, options));
  chain(...tasks.slice(0, 4), tasks.slice(4, 16), tasks[16]!, tasks[17]!, tasks[18]!, tasks[19]!);
});

/** Works, waits without a worker, works again. */
export const patient = dag('patient', { maxActiveRuns: 50, maxActiveTasks: 200 }, () => {
  const begin = task('begin', work, options);
  const wait = task(
    'wait',
    async (context) => {
      await context.step('work', () => work(context));
      await context.defer('pause', new TimeDeltaTrigger({ delta: '4s' }));
      return 'waited';
    },
    options,
  );
  chain(begin, wait, task('end', work, options));
});

/** Writes its process id and runs until it is killed. */
export const endless = dag('endless', {}, () => {
  task(
    'stay',
    async (context) => {
      context.log.info('it begins');
      ledger ??= connect(context);
      await (await ledger).query(
        'insert into entry (id, run_id, task_id, attempt, try_number, pid) values ($1, $2, $3, $4, $5, $6)',
        [randomUUID(), context.runId, context.taskId, context.attempt, context.tryNumber, process.pid],
      );
      if (context.tryNumber === 1) await context.sleep(600_000);
    },
    { retries: 1, retryDelay: '10ms' },
  );
});

/** Two short tasks a day, for backfills. */
export const daily = dag(
  'daily',
  { schedule: '@daily', startDate: new Date('2026-01-01'), endDate: new Date('2026-02-28') },
  () => {
    chain(
      task('fetch', (context) => context.sleep(100)),
      task('store', () => {}),
    );
  },
);

/** Returns more than the store keeps. */
export const large = dag('large', {}, () => void task('large', () => 'x'.repeat(2_000_000)));

export const poolless = dag('poolless', {}, () => void task('nowhere', () => {}, { pool: 'no_such_pool' }));
