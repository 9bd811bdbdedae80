import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireLockFile } from '../src/postgres/lock-file.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'windhover-lock-'));
  path = join(directory, 'lock');
});

afterEach(() => rm(directory, { recursive: true }));

test('of many who want the lock one at a time has it', async () => {
  let holders = 0;
  let most = 0;
  const hold = async () => {
    const lock = await acquireLockFile(path);
    most = Math.max(most, ++holders);
    await new Promise(setImmediate);
    holders--;
    await lock.release();
  };
  await Promise.all(Array.from({ length: 20 }, hold));
  expect(most).toBe(1);
  expect(await readdir(directory)).toEqual([]);
});

test.each([
  ['of a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, startTicks: '1' })],
  ['of an earlier process with our pid', JSON.stringify({ pid: process.pid, startTicks: '1' })],
  ['that was never written whole', ''],
])('a lock %s is taken over by just one', async (_, content) => {
  await writeFile(path, content);
  await writeFile(`${path}.removal`, content);
  let isHeld = false;
  const hold = async () => {
    const lock = await acquireLockFile(path);
    expect(isHeld).toBe(false);
    isHeld = true;
    await new Promise(setImmediate);
    isHeld = false;
    await lock.release();
  };
  await Promise.all(Array.from({ length: 8 }, hold));
  expect(await readdir(directory)).toEqual([]);
});

test('waiting for a lock ends with the signal', async () => {
  const lock = await acquireLockFile(path);
  const controller = new AbortController();
  const waiting = acquireLockFile(path, controller.signal);
  controller.abort();
  await expect(waiting).rejects.toThrow('aborted');
  await lock.release();
});
