import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOperator, VirtualClock } from '@windhover/core/testing';
import { expect, test } from 'vitest';
import * as door from '../src/index.ts';
import { inbox } from './readme/inbox-dag.ts';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const readme = read('README.md');

test('every TypeScript block of the README is, letter by letter, a file that is compiled and run here', () => {
  const blocks = [...readme.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)];
  expect(blocks.length).toBe(readme.split('```ts').length - 1);
  expect(blocks.length).toBeGreaterThan(0);
  for (const [, file, code] of blocks) expect(code).toBe(read(file!));
});

test('its DAG waits for a file and goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'windhover-readme-'));
  const path = join(folder, 'sales.csv');
  const clock = new VirtualClock(new Date());
  clock.at('2h', () => writeFile(path, 'a,b\n'));
  const options = { conf: { folder }, clock };
  expect(await runOperator(inbox.taskOrThrow('arrived'), options)).toMatchObject({ state: 'success', result: [path] });
  expect(await runOperator(inbox.taskOrThrow('unpack'), options)).toMatchObject({ result: 'loading 2026-01-01' });
  await rm(folder, { recursive: true });
});

test('it has under a hundred lines and ends with a table of every class', () => {
  expect(readme.split('\n').length).toBeLessThan(100);
  for (const name of Object.keys(door)) expect(readme).toContain(`\`${name}\``);
});
