import { once } from 'node:events';
import { createServer } from 'node:http';
import { runOperator } from '@windhover/core/testing';
import { expect, test } from 'vitest';
import { ReportOperator } from '../src/report-operator.ts';

test('a report that takes eight hours arrives', async () => {
  let polls = 0; // the reports API: 480 times not yet, then done
  const answer = (method: string) => (method === 'POST' ? 'r-1' : ++polls > 480 ? '{ "url": "/r-1.pdf" }' : '{}');
  const server = createServer((request, response) => response.end(answer(request.method!))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const run = await runOperator(new ReportOperator({ taskId: 'report', api, month: '2026-01' }));
  expect(run).toMatchObject({ state: 'success', result: '/r-1.pdf', elapsedMs: 28_800_000 });
});
