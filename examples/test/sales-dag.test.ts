import { serializeDag } from '@windhover/core';
import { runOperator } from '@windhover/core/testing';
import { expect, test } from 'vitest';
import { sales } from '../src/sales-dag.ts';

test('one task of a DAG is tested with the results of those above it', async () => {
  const run = await runOperator(sales.taskOrThrow('which'), { xcoms: { total: 12 } });
  expect(run).toMatchObject({ result: ['publish.mail'], skippedTaskIds: ['note'] });
});

test('the conf of a run gives the params', async () => {
  const { log } = await runOperator(sales.taskOrThrow('publish.mail'), { conf: { region: 'south' } });
  expect(log.map(({ message }) => message)).toEqual(['to south']);
});

test('the platform sees the graph, not the code', () => {
  const edges = serializeDag(sales).tasks.map(({ taskId, upstreamTaskIds }) => [taskId, upstreamTaskIds]);
  expect(Object.fromEntries(edges)).toEqual({
    extract: [],
    settle: ['extract'],
    total: ['extract', 'settle'],
    which: ['total'],
    'publish.mail': ['which'],
    note: ['which'],
  });
});
