import { readFileSync } from 'node:fs';
import { runOperator } from '@windhover/core/testing';
import { expect, test } from 'vitest';
import { merge } from './readme/merge.ts';
import { connectionsTo, startAccount } from './support/snowflake-backend.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

test('the TypeScript block of the README is, letter by letter, a file that is compiled and run here', () => {
  const blocks = [...read('../README.md').matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block);
  expect(blocks).toEqual([read('./readme/merge.ts')]);
});

test('the README has less than a hundred lines', () => {
  expect(read('../README.md').split('\n').length).toBeLessThan(100);
});

test('the program of the README moves what is staged', async () => {
  const snowflake = await startAccount();
  await snowflake.sql('create table staging as select 1 as id');
  await snowflake.sql('create table orders (id int)');
  for (const operator of merge.tasks.values()) {
    const run = await runOperator(operator, { connections: connectionsTo(snowflake) });
    expect([operator.taskId, run.state, run.error?.message]).toEqual([operator.taskId, 'success', undefined]);
  }
  expect((await snowflake.sql('select count(*) from orders')).rows).toEqual([['1']]);
  expect((await snowflake.sql('select count(*) from staging')).rows).toEqual([['0']]);
  await snowflake.stop();
});
