import { until } from '@windhover/core/testing';
import { createDagRun, Database } from '@windhover/platform';
import { expect, test } from 'vitest';
import { createLedgerScene, overlaps } from './support/ledger.ts';
import { type Command, windhover } from './support/processes.ts';

// `pnpm test:chaos` runs it in full size: 50 runs of 20 tasks, ten kills.
const isChaos = process.env.WINDHOVER_CHAOS === '1';
const OF_TWENTY = "dag_run_id in (select id from dag_run where dag_id = 'twenty')";
const [RUNS, KILLS] = isChaos ? [50, 10] : [6, 3];

test(`${RUNS} runs survive ${KILLS} kills of their schedulers: each task ends once, and no two attempts overlap`, async () => {
  const scene = await createLedgerScene();
  const { projectRoot: cwd, env } = scene;
  const start = (...args: string[]) => windhover(args, { cwd, env });
  const commands: Command[] = [];
  try {
    expect(await start('db', 'migrate').ended).toBe(0);
    const api = start('api-server');
    commands.push(api);
    const [, url] = await api.printed(/listens at (http\S+[0-9])/);
    const token = (await runToEnd(start('tokens', 'create', '--scope', 'dag'))).trim();
    const workerEnv = { ...env, WINDHOVER_API_URL: url!, WINDHOVER_EXECUTION_TOKEN: token };
    commands.push(windhover(['dag-processor'], { cwd, env: workerEnv }));
    await eventually('the DAG is known', () => scene.query("select 1 from dag where dag_id = 'twenty'"));

    const schedulers = [start('scheduler'), start('scheduler')];
    await Promise.all(schedulers.map((scheduler) => scheduler.printed(/The scheduler runs/)));
    const database = new Database({ url: env.WINDHOVER_DATABASE_URL!, poolSize: 1 });
    for (let n = 0; n < RUNS; n += 1) await createDagRun(database, { dagId: 'twenty', runType: 'manual' });
    await database.close();

    for (let kill = 0; kill < KILLS; kill += 1) {
      // In the middle of work: some tasks have begun since the last kill, and there is more to do.
      const before = (await scene.entries()).length;
      const wanted = Math.min(before + Math.floor((RUNS * 20) / (KILLS + 1) / 2), RUNS * 20);
      await eventually('tasks begin', async () => ((await scene.entries()).length >= wanted ? [1] : []));
      const which = kill % 2;
      await schedulers[which]!.kill('SIGKILL');
      schedulers[which] = start('scheduler');
    }
    commands.push(...schedulers);
    await eventually(
      'all runs end',
      async () =>
        (
          await scene.query<{ n: number }>(
            "select count(*)::int as n from dag_run where state = 'success' and dag_id = 'twenty'",
          )
        )[0]!.n === RUNS
          ? [1]
          : [],
      isChaos ? 240_000 : 90_000,
    );

    const entries = await scene.entries();
    const ended = entries.filter(({ endedAt }) => endedAt !== null);
    const tasks = new Set(entries.map(({ runId, taskId }) => `${runId} ${taskId}`));
    expect(tasks.size).toBe(RUNS * 20);
    expect(overlaps(entries)).toEqual([]);
    const states = await scene.query(
      `select state, count(*)::int as n from task_instance where ${OF_TWENTY} group by 1`,
    );
    expect(states).toEqual([{ state: 'success', n: RUNS * 20 }]);
    const successes = await scene.query<{ n: number }>(
      `select count(*)::int as n from task_attempt a join task_instance on id = a.task_instance_id
        where a.state = 'success' and ${OF_TWENTY} group by a.task_instance_id`,
    );
    expect(successes.every(({ n }) => n === 1)).toBe(true);
    // Every attempt that began and was not the one that succeeded was lost with its worker, and says so.
    const lost = await scene.query<{ n: number }>(
      "select count(*)::int as n from task_attempt where reason = 'worker_lost'",
    );
    expect(lost[0]!.n).toBeGreaterThanOrEqual(entries.length - RUNS * 20);
    const left = await scene.query('select 1 from active_task');
    expect(left).toEqual([]);
    console.log(
      `${RUNS} runs, ${KILLS} kills: ${entries.length} attempts began, ${ended.length} came to their end, ${lost[0]!.n} worker_lost`,
    );
  } finally {
    for (const command of commands) if (command.isRunning) await command.kill('SIGKILL');
    await scene.close();
  }
}, 400_000);

async function runToEnd(command: Command): Promise<string> {
  expect(await command.ended).toBe(0);
  return command.output;
}

async function eventually(what: string, look: () => Promise<readonly unknown[]>, limitMs = 60_000): Promise<void> {
  let isThere = false;
  let isLooking = false;
  await until(
    () => {
      if (!isLooking && !isThere) {
        isLooking = true;
        void look().then((rows) => {
          isThere = rows.length > 0;
          setTimeout(() => {
            isLooking = false;
          }, 20);
        });
      }
      return isThere;
    },
    what,
    limitMs,
  );
}
