import { readFileSync } from 'node:fs';
import { runOperator } from '@windhover/core/testing';
import { startHttpJobs } from '@windhover/testing-services';
import { expect, test } from 'vitest';
import * as door from '../src/index.ts';
import { report } from './readme/report-dag.ts';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const readme = read('README.md');

test('every TypeScript block of the README is, letter by letter, a file that is compiled and run here', () => {
  const blocks = [...readme.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)];
  expect(blocks.length).toBe(readme.split('```ts').length - 1);
  expect(blocks.length).toBeGreaterThan(0);
  for (const [, file, code] of blocks) expect(code).toBe(read(file!));
});

test('its DAG waits, runs a job and reads all pages', async () => {
  const jobs = await startHttpJobs({ script: ['pending', 'done', 'pending', 'done'] });
  const options = { connections: { reports: jobs.url } };
  const results = [];
  for (const taskId of ['ready', 'make', 'items']) {
    results.push((await runOperator(report.taskOrThrow(taskId), options)).result);
  }
  expect(results).toEqual([undefined, { id: 'job-1', input: { month: '2026-01' } }, 6]);
  await jobs.stop();
});

test('it has under a hundred lines and ends with a table of every class', () => {
  expect(readme.split('\n').length).toBeLessThan(100);
  for (const name of Object.keys(door)) expect(readme).toContain(`\`${name}\``);
});
