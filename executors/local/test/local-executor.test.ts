import { join } from 'node:path';
import type { ExecutorEvent, ExecutorHost, Workload } from '@windhover/core';
import { type ExecutorSetup, testExecutor, until, type WorkloadBehaviour } from '@windhover/core/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MemoryTaskApi } from '../../../worker/test/fixtures/tasks/memory-task-api.ts';
import { LocalExecutor } from '../src/index.ts';

const PROJECT = join(import.meta.dirname, 'project');

async function create(parallelism: number): Promise<ExecutorSetup & { readonly taskApi: MemoryTaskApi }> {
  const taskApi = new MemoryTaskApi();
  const executor = new LocalExecutor({ parallelism });
  return {
    executor,
    taskApi,
    host: { projectRoot: PROJECT, taskApi },
    workload(behaviour, { priority = 0, queue = 'default', type = 'task', after } = {}) {
      if (type === 'callback') {
        const key = { dagId: 'suite', runId: 'r', taskId: behaviour, mapIndex: -1 };
        return taskApi.addCallback({ type: 'task', name: 'onFailure', key }, { dagFile: 'dags/suite.ts' }).workload;
      }
      if (type === 'testConnection')
        return taskApi.addConnectionTest(`project:lib/hooks.ts#${behaviour}`, { connType: 'suite' }).workload;
      const next = after?.type === 'task' ? { taskInstanceId: after.taskInstanceId, epoch: after.epoch + 1 } : {};
      return taskApi.add(behaviour, {
        dagId: 'suite',
        dagFile: 'dags/suite.ts',
        workload: { priority, queue, ...next },
      }).workload;
    },
    started: () => taskApi.started,
    running: () =>
      [...taskApi.tasks.values()]
        .filter(({ worker, report }) => worker && !report && isAlive(worker.pid))
        .map(({ id }) => id),
    release: (workloadId) => taskApi.open(workloadId),
    close: () => executor.terminate(),
  };
}

describe('the local executor', () => {
  // Without a limit a process is started for each task: 20 at once on two cores.
  for (const { name, run } of testExecutor({ create, timeoutMs: 30_000 })) test(name, run, 120_000);
});

/** An executor that has been started, and what it reported. */
async function startExecutor(parallelism: number, host: Partial<ExecutorHost> = {}) {
  const setup = await create(parallelism);
  onTestFinished(() => setup.close());
  const log = { debug: () => {}, info: () => {}, warning: () => {}, error: () => {} };
  const events: ExecutorEvent[] = [];
  const over = new Set<string>();
  const wake = () => {
    for (const event of setup.executor.drainEvents()) {
      events.push(event);
      over.add(event.workloadId);
    }
  };
  const { taskApi } = setup;
  await setup.executor.start({ log, jobId: 'job', apiUrl: null, projectRoot: PROJECT, taskApi, wake, ...host });
  const queue = (...behaviours: WorkloadBehaviour[]) => {
    const workloads = behaviours.map((behaviour) => setup.workload(behaviour));
    for (const workload of workloads) setup.executor.queueWorkload(workload);
    return workloads;
  };
  const untilOver = (workloads: readonly Workload[]) =>
    until(() => workloads.every(({ id }) => over.has(id)), 'all of them are over', 30_000);
  return { ...setup, events, queue, untilOver };
}

const many = (count: number): WorkloadBehaviour[] => Array.from({ length: count }, () => 'succeed');

test('what was handed over in advance can be revoked without a word, and holds no slot', async () => {
  const { executor, queue, untilOver, started, events, release } = await startExecutor(1);
  // Its process has been fast lately, so that it gets more than one.
  await untilOver(queue(...many(30)));
  const [hanging, ...others] = queue('hang', ...many(6));
  await until(() => started().includes(hanging!.id), 'the first one runs');
  const revoked = [others[1]!, others[4]!];
  await executor.revoke(revoked.map(({ id }) => id));
  await release(hanging!.id);
  const kept = others.filter((workload) => !revoked.includes(workload));
  await untilOver([hanging!, ...kept]);
  expect(started().slice(30)).toEqual([hanging!, ...kept].map(({ id }) => id));
  expect(events.filter(({ workloadId }) => revoked.some(({ id }) => id === workloadId))).toEqual([]);
  expect(executor.openSlots).toBe(1);
}, 60_000);

test('end starts nothing of what was handed over in advance', async () => {
  const { executor, queue, untilOver, started, release } = await startExecutor(1);
  await untilOver(queue(...many(30)));
  const [hanging] = queue('hang', ...many(20));
  await until(() => started().includes(hanging!.id), 'the first one runs');
  const ending = executor.end();
  await release(hanging!.id);
  await ending;
  expect(started().length).toBe(31);
}, 60_000);

test('the host tells where large XComs go', async () => {
  const classpath = 'project:lib/dropping-xcom-backend.ts#DroppingXComBackend';
  const xcomBackend = { classpath, options: { answer: 'dropped' } };
  const { executor, taskApi, untilOver } = await startExecutor(1, { xcomLimitBytes: 50, xcomBackend });
  const large = taskApi.add('large', { dagId: 'suite', dagFile: 'dags/suite.ts' });
  executor.queueWorkload(large.workload);
  await untilOver([large.workload]);
  expect(large.report).toEqual({ state: 'success', result: { type: 'reference', reference: 'dropped' } });
}, 60_000);

test('throughput of 2,000 short tasks', async () => {
  for (const parallelism of [1, 2, 4]) {
    const { executor, queue, untilOver } = await startExecutor(parallelism);
    await untilOver(queue(...many(10 * parallelism)));
    const at = performance.now();
    await untilOver(queue(...many(2_000)));
    console.log(`parallelism ${parallelism}: ${Math.round(2_000_000 / (performance.now() - at))} tasks/s`);
    await executor.end();
  }
}, 60_000);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
