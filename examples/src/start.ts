// One operator through its whole life in one process: execute, defer, trigger, event, resume. Time is virtual.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runOperator, VirtualClock } from '@windhover/core/testing';
import { ReportOperator } from './report-operator.ts';

const clock = new VirtualClock();
const say = (text: string) => console.log(`${clock.now().toISOString().slice(11, 19)}  ${text}`);

let polls = 0;
const server = createServer((request, response) => {
  if (request.method === 'POST') {
    say('reports API   a job is submitted; it will take eight hours');
    return response.end('r-1');
  }
  polls += 1;
  if (polls % 120 === 0) say(`reports API   polled ${polls} times`);
  return response.end(JSON.stringify(polls > 480 ? { url: '/reports/r-1.pdf' } : {}));
});
await once(server.listen(0, '127.0.0.1'), 'listening');

const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const began = performance.now();
say('ReportOperator starts on a worker');
const run = await runOperator(new ReportOperator({ taskId: 'report', api, month: '2026-01' }), { clock });
server.close();

for (const { trigger, resume, at } of run.deferrals) {
  say(
    `it had deferred at ${at.toISOString().slice(11, 19)} to ${trigger.classpath} and resumed at ${resume.methodName}`,
  );
}
say(`ReportOperator ended: ${run.state}, result ${run.result}`);
console.log(
  `\n${run.elapsedMs / 3_600_000} hours in ${Math.round(performance.now() - began)} ms of real time; no worker was held while it waited.`,
);
console.log('Next: read README.md, then examples/src/report-operator.ts.');
