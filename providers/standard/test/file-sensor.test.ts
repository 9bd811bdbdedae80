import { appendFile, mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type BackendAnswer, runOperator, testSensor, testTrigger, VirtualClock } from '@windhover/core/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as findFilesModule from '../src/file/find-files.ts';
import { type FileQuery, findFiles } from '../src/file/find-files.ts';
import { FileSensor, FileTrigger } from '../src/index.ts';

/** By path: what happens just before somebody looks there. The looks themselves are real. */
const beforeLook = vi.hoisted(() => new Map<string, () => Promise<void>>());
vi.mock(import('../src/file/find-files.ts'), async (original) => {
  const module: typeof findFilesModule = await original();
  return {
    ...module,
    async findFiles(query: FileQuery, now: Date) {
      await beforeLook.get(query.filepath)?.();
      return module.findFiles(query, now);
    },
  };
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windhover-file-sensor-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A file that comes when the script says so, on a disk of the network that may time out. */
function scriptedFile(script: readonly BackendAnswer[], clock: VirtualClock) {
  const path = join(folder, 'scripted.csv');
  const checks: Date[] = [];
  beforeLook.set(path, async () => {
    const answer = script[Math.min(checks.push(clock.now()), script.length) - 1];
    if (answer === 'transient') throw Object.assign(new Error('connection timed out'), { code: 'ETIMEDOUT' });
    if (answer === 'done') await writeFile(path, 'a,b\n');
  });
  return { path, checks: () => checks, close: () => rm(path, { force: true }) };
}

type ScriptedFile = ReturnType<typeof scriptedFile>;

describe('FileSensor', () => {
  const suite = testSensor({
    backend: scriptedFile,
    sensor: (backend, options) => new FileSensor({ filepath: (backend as ScriptedFile).path, ...options }),
    answers: ['pending', 'transient', 'done'],
  });
  for (const { name, run } of suite) test(name, run);

  test('two equal sensors wait as one trigger', async () => {
    const run = async () => {
      const sensor = new FileSensor({ taskId: 'wait', filepath: join(folder, 'never'), timeout: '5m' });
      return (await runOperator(sensor)).deferrals[0]!.trigger;
    };
    const [one, other] = [await run(), await run()];
    expect(one.isShareable).toBe(true);
    expect(one).toEqual(other);
  });
});

describe('FileTrigger', () => {
  const suite = testTrigger({
    load: (specifier) => import(specifier),
    backend: scriptedFile,
    interval: '30s',
    trigger: (backend) =>
      new FileTrigger({
        filepath: (backend as ScriptedFile).path,
        interval: '30s',
        exponentialBackoff: false,
        checksBefore: 1,
        failuresBefore: 0,
        softFail: false,
      }),
  });
  for (const { name, run } of suite) test(name, run);
});

describe('what counts as a file that is there', () => {
  const now = () => new Date();

  test('a pattern finds all files that match it, in order', async () => {
    await mkdir(join(folder, 'in/deep'), { recursive: true });
    for (const name of ['in/b.csv', 'in/a.csv', 'in/c.txt', 'in/deep/d.csv']) await writeFile(join(folder, name), 'x');
    expect(await names('in/*.csv')).toEqual(['in/a.csv', 'in/b.csv']);
    expect(await names('in/**/*.csv')).toEqual(['in/a.csv', 'in/b.csv', 'in/deep/d.csv']);
  });

  test('a directory counts by the files in it, at any depth', async () => {
    await mkdir(join(folder, 'drop/box'), { recursive: true });
    expect(await names('drop')).toEqual([]);
    await writeFile(join(folder, 'drop/box/late.csv'), 'x');
    expect(await names('drop')).toEqual(['drop/box/late.csv']);
  });

  test('a path that exists is meant literally, even if it looks like a pattern', async () => {
    await writeFile(join(folder, 'report[1].csv'), 'x');
    await writeFile(join(folder, 'report1.csv'), 'x');
    expect(await names('report[1].csv')).toEqual(['report[1].csv']);
  });

  test('files below the minimum size do not count', async () => {
    await writeFile(join(folder, 'small.csv'), 'xx');
    expect(await names('small.csv', { minSize: 3 })).toEqual([]);
    await appendFile(join(folder, 'small.csv'), 'x');
    expect(await names('small.csv', { minSize: 3 })).toEqual(['small.csv']);
  });

  test('nothing is found under a path that leads through a file', async () => {
    await writeFile(join(folder, 'plain'), 'x');
    expect(await names('plain/below.csv')).toEqual([]);
  });

  async function names(pattern: string, options: Omit<FileQuery, 'filepath'> = {}) {
    const found = await findFiles({ filepath: join(folder, pattern), ...options }, now());
    return found.map((path) => relative(folder, path));
  }
});

describe('stableFor', () => {
  test('a file counts once its last write is so long ago', async () => {
    const filepath = join(folder, 'growing.csv');
    await writeFile(filepath, 'row\n');
    // Some tools give a copy the age of its original while they still write it.
    await utimes(filepath, new Date(0), new Date(0));
    const { ctime } = await stat(filepath);
    const foundAfter = async (ms: number) =>
      (await findFiles({ filepath, stableFor: '30s' }, new Date(ctime.getTime() + ms))).length;
    expect([await foundAfter(29_000), await foundAfter(31_000)]).toEqual([0, 1]);
  });

  test('the sensor waits as long as that', async () => {
    const filepath = join(folder, 'left-alone.csv');
    await writeFile(filepath, 'row\n');
    // Files have the real time, so the virtual one begins there.
    const clock = new VirtualClock(new Date());
    const sensor = new FileSensor({ taskId: 'wait', filepath, stableFor: '150s', pokeInterval: '60s' });
    const run = await runOperator(sensor, { clock });
    expect(run).toMatchObject({ state: 'success', result: [filepath], elapsedMs: 180_000 });
  });
});
