import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { generateSecretKey, startScope, Tokens } from '@windhover/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLedgerScene, type LedgerScene } from './support/ledger.ts';
import { type Command, windhover } from './support/processes.ts';

// Each mistake gives one clear message and the right exit code or status, at the real command and the real server.
let scene: LedgerScene;
let standalone: Command;
let env: Record<string, string>;

beforeAll(async () => {
  scene = await createLedgerScene();
  env = { ...scene.env };
  const broken = join(scene.projectRoot, 'dags');
  const write = (name: string, text: string) => writeFileSync(join(broken, name), text);
  write(
    'broken.ts',
    "import { dag } from '@windhover/core';\n\nexport const broken = dag('broken', {}, () => nothing());\n",
  );
  write(
    'cycle.ts',
    `import { dag, task } from '@windhover/core';
export const cyclic = dag('cyclic', {}, () => {
  const [a, b] = [task('a', () => {}), task('b', () => {})];
  a.before(b);
  b.before(a);
});
`,
  );
  write(
    'twice.ts',
    `import { dag, task } from '@windhover/core';
export const twice = dag('twice', {}, () => {
  task('same', () => {});
  task('same', () => {});
});
`,
  );
  standalone = windhover(['standalone'], { cwd: scene.projectRoot, env });
  await standalone.printed(/is running at http/);
  await eventually(async () => (await run('--json', 'dags', 'list')).output.includes('poolless'));
}, 60_000);

afterAll(async () => {
  await standalone.kill('SIGTERM');
  await scene.close();
}, 60_000);

async function run(...args: string[]): Promise<{ code: number | string; output: string }> {
  return runIn(scene.projectRoot, env, ...args);
}

async function runIn(cwd: string, given: Record<string, string>, ...args: string[]) {
  const command = windhover(args, { cwd, env: given });
  const code = await command.ended;
  return { code, output: command.output };
}

async function eventually(look: () => Promise<boolean>): Promise<void> {
  const limit = Date.now() + 30_000;
  while (!(await look())) {
    if (Date.now() > limit) throw new Error(`This did not happen within 30 seconds: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Another project, so that what is wrong with it does not reach the running one. */
function otherProject(config: string): string {
  const folder = join(scene.projectRoot, `other-${Math.random().toString(36).slice(2)}`);
  mkdirSync(join(folder, 'dags'), { recursive: true });
  writeFileSync(join(folder, 'windhover.config.js'), config);
  return folder;
}

function say(what: string, { code, output }: { code: number | string; output: string }): void {
  console.log(`${what} → ${code}\n${output.trimEnd().split('\n').slice(-4).join('\n')}`);
}

test('a wrong key in the configuration names the nearest right one', async () => {
  const answer = await runIn(otherProject('export default { api: { prot: 1 } };'), env, 'standalone');
  say('wrong config key', answer);
  expect(answer.code).toBe(2);
  expect(answer.output).toMatch(/"api\.prot".*"api\.port"/s);
});

test('a cycle, a task id used twice and a file that fails are told with file and line, and stop no other DAG', async () => {
  const answer = await run('dags', 'import-errors');
  say('import errors', answer);
  expect(answer.code).toBe(1);
  expect(answer.output).toMatch(/dags\/broken\.ts.*3.*nothing is not defined/s);
  expect(answer.output).toMatch(/dags\/cycle\.ts.*a → b → a|dags\/cycle\.ts.*b → a → b/s);
  expect(answer.output).toMatch(/dags\/twice\.ts.*"same"/s);
});

test('a database that is not there is named, without its password', async () => {
  const url = 'postgres://me:secret@127.0.0.1:1/nowhere';
  const answer = await runIn(otherProject('export default {};'), { ...env, WINDHOVER_DATABASE_URL: url }, 'scheduler');
  say('missing database', answer);
  expect(answer.code).toBe(6);
  expect(answer.output).toMatch(/127\.0\.0\.1:1\/nowhere cannot be used: no server listens there/);
  expect(answer.output).not.toContain('secret');
});

test('a port that is taken is named', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  const given = { ...env, WINDHOVER_API__PORT: String(port) };
  const answer = await runIn(otherProject('export default {};'), given, 'api-server');
  taken.close();
  say('taken port', answer);
  expect(answer.code).toBe(5);
  expect(answer.output).toContain(`127.0.0.1:${port}`);
});

test('a wrong token is refused', async () => {
  const answer = await run('--token', 'nonsense', 'dags', 'list');
  say('wrong token', answer);
  expect(answer.code).toBe(4);
  expect(answer.output).toMatch(/E_TOKEN/);
});

test('a token of another task instance, and of an old epoch, starts nothing', async () => {
  const [, url] = standalone.output.match(/is running at (http\S+)/)!;
  const tokens = new Tokens([env.WINDHOVER_SECRET_KEYS!]);
  const call = async (workloadTask: string, epoch: number, asked: object) => {
    const workload = { type: 'task', taskInstanceId: workloadTask, epoch } as Parameters<typeof startScope>[0];
    const response = await fetch(`${url}/execution/v1/task/start`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await tokens.issue(startScope(workload))}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify([asked, { hostname: 'here', pid: 1, codeHash: 'x' }]),
    });
    return { code: response.status, output: await response.text() };
  };
  const other = await call('1', 1, { taskInstanceId: '2', epoch: 1 });
  say('token of another task instance', other);
  expect(other).toMatchObject({ code: 403, output: expect.stringContaining('E_TOKEN_SCOPE') });
  const wrongEpoch = await call('2', 1, { taskInstanceId: '2', epoch: 2 });
  say('token of another epoch', wrongEpoch);
  expect(wrongEpoch).toMatchObject({ code: 403 });
  const stale = await call('2', 1, { taskInstanceId: '2', epoch: 1 });
  say('an epoch that is over', stale);
  expect(stale).toMatchObject({ code: 409, output: expect.stringContaining('E_STALE_EPOCH') });
  const foreign = new Tokens([generateSecretKey()]);
  const answer = await run('--token', await foreign.issue({ type: 'api', name: 'me' }), 'dags', 'list');
  expect(answer.code).toBe(4);
});

test('a pool that does not exist fails the task with what to do; a pool name that cannot be is refused', async () => {
  const answer = await run('dags', 'trigger', 'poolless', '--wait');
  say('missing pool', answer);
  expect(answer.code).toBe(1);
  const [runId] = answer.output.match(/manual__\S+Z/)!;
  const explained = await run('tasks', 'explain', 'poolless', runId, 'nowhere');
  say('explained', explained);
  expect(explained.output).toMatch(/Pool "no_such_pool" does not exist.*windhover pools set no_such_pool/s);
  const refused = await run('pools', 'set', 'not a name!', '3');
  say('broken pool name', refused);
  expect(refused.code).toBe(2);
});

test('a result that is too large fails its task with the sizes and what to do', async () => {
  const answer = await run('dags', 'trigger', 'large', '--wait');
  expect(answer.code).toBe(1);
  const [runId] = answer.output.match(/manual__\S+Z/)!;
  const shown = await run('tasks', 'show', 'large', runId, 'large');
  say('XCom too large', shown);
  expect(shown.output).toMatch(/has 2000002 bytes as JSON; the limit is 1048576.*configure an XCom backend/s);
});
