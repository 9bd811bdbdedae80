import { readFileSync } from 'node:fs';
import { runOperator } from '@windhover/core/testing';
import { startGoogleCloud } from '@windhover/testing-services';
import { expect, test } from 'vitest';
import { sales } from './readme/sales.ts';
import { connectionTo } from './support/google-backend.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

test('the TypeScript block of the README is, letter by letter, a file that is compiled and run here', () => {
  const blocks = [...read('../README.md').matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block);
  expect(blocks).toEqual([read('./readme/sales.ts')]);
});

test('the README has less than a hundred lines', () => {
  expect(read('../README.md').split('\n').length).toBeLessThan(100);
});

test('the program of the README loads and checks what has landed', async () => {
  const google = await startGoogleCloud();
  google.gcs.put('landing', 'orders.csv', 'id,amount\n1,10\n2,20\n');
  for (const operator of sales.tasks.values()) {
    const run = await runOperator(operator, { connections: { google_cloud_default: connectionTo(google) } });
    expect([operator.taskId, run.state, run.error?.message]).toEqual([operator.taskId, 'success', undefined]);
  }
  await google.stop();
});
