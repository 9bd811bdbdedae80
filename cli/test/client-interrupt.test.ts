import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from '@windhover/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backfill } from './support/sample-answers.ts';
import { problem, StubApi } from './support/stub-api.ts';

const BIN = fileURLToPath(new URL('../src/bin.ts', import.meta.url));
let stub: StubApi;

beforeEach(async () => {
  stub = (await StubApi.start())
    .on('POST', '/backfills', () => ({ status: 201, body: backfill(0) }))
    .has('/backfills/7', backfill(26));
});

afterEach(() => stub.close());

/** `windhover` as a process of its own, because Ctrl-C is a signal to a process. */
function startBackfill() {
  const env = { ...process.env, WINDHOVER_API_URL: stub.url, WINDHOVER_API_TOKEN: stub.token };
  const args = ['--conditions=development', BIN, 'backfill', 'hello', '--from', '2026-01-01', '--to', '2026-01-30'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const seen = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (seen.stdout += chunk));
  child.stderr.on('data', (chunk) => (seen.stderr += chunk));
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  return { child, seen, ended };
}

describe('Ctrl-C on a backfill that is followed', () => {
  test('pauses it on the server and says how to go on', async () => {
    stub.on('POST', '/backfills/7/pause', () => ({ body: backfill(26, { isPaused: true }) }));
    const { child, seen, ended } = startBackfill();
    await until(() => seen.stdout.includes('43.3%'), 'its progress is shown', 15_000);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(stub.requestsTo('POST', '/backfills/7/pause')).toHaveLength(1);
    expect(seen.stderr.trimEnd().split('\n')).toEqual([
      'Paused backfill 7: no more of its runs begin, those that have begun go on.',
      'Resume it with: windhover backfill resume 7',
      'Cancel it with: windhover backfill cancel 7',
    ]);
  }, 20_000);

  test('says how it ended where that came first', async () => {
    stub.on('POST', '/backfills/7/pause', () => {
      stub.has('/backfills/7', backfill(60)).lists('/runs', []);
      return problem(409, 'E_BACKFILL', 'Backfill 7 is over already.');
    });
    const { child, seen, ended } = startBackfill();
    await until(() => seen.stdout.includes('43.3%'), 'its progress is shown', 15_000);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(seen.stdout).toContain('Backfill 7 of hello succeeded');
  }, 20_000);

  test('the second time ends at once, whatever the server does', async () => {
    stub.on('POST', '/backfills/7/pause', () => new Promise(() => {}));
    const { child, seen, ended } = startBackfill();
    await until(() => seen.stdout.includes('43.3%'), 'its progress is shown', 15_000);
    child.kill('SIGINT');
    await until(() => stub.requestsTo('POST', '/backfills/7/pause').length === 1, 'the pause is asked for', 15_000);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(seen.stderr).toBe('');
  }, 20_000);
});
