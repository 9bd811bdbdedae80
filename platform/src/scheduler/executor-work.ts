import type { Executor, ExecutorEvent } from '@windhover/core';
import { claimCallbacks, loseCallback } from '../store/callbacks.ts';
import { claimConnectionTests, endConnectionTest } from '../store/connection-tests.ts';
import type { Queryable } from '../store/database.ts';
import type { TaskChange } from '../task-instances/task-change.ts';
import { callbackWorkload, parseWorkloadId, testConnectionWorkload } from './workloads.ts';

/**
 * What became of workloads since the last call. The process around one is over; if its task has not told its end, it was
 * lost. A task that has told it has another epoch or state by now, and then the change is stale and nothing happens.
 */
export async function takeExecutorEvents(
  database: Queryable,
  executors: Iterable<Executor>,
): Promise<readonly TaskChange[]> {
  const changes: TaskChange[] = [];
  for (const executor of executors) {
    for (const event of executor.drainEvents()) {
      const name = parseWorkloadId(event.workloadId);
      if (name.type === 'task') changes.push(changeOfEvent(event, name.id, name.epoch));
      else if (event.type === 'lost' || event.type === 'refused') {
        const { reason } = event;
        if (name.type === 'callback')
          await loseCallback(database, Number(name.id), { name: 'CallbackLost', message: reason });
        else await endConnectionTest(database, name.id, { isSuccess: false, message: `The test was lost: ${reason}` });
      }
    }
  }
  return changes;
}

/** Hands out callbacks and connection tests that wait for somebody to do so. */
export async function dispatchOthers(
  database: Queryable,
  jobId: number,
  executors: ReadonlyMap<string, Executor>,
): Promise<void> {
  const [first] = executors.values() as unknown as [Executor];
  for (const callback of await claimCallbacks(database, jobId, 100)) {
    const executor = (callback.executor && executors.get(callback.executor)) || first;
    executor.queueWorkload(callbackWorkload(callback));
  }
  for (const testId of await claimConnectionTests(database, 10)) first.queueWorkload(testConnectionWorkload(testId));
}

function changeOfEvent(event: ExecutorEvent, id: number, epoch: number): TaskChange {
  switch (event.type) {
    case 'accepted':
      return { id, epoch, type: 'accept', externalId: event.externalId };
    case 'ended':
      return { id, epoch, type: 'lose', reason: 'its process ended without a report' };
    case 'lost':
      return { id, epoch, type: 'lose', reason: event.reason };
    case 'refused':
      return { id, epoch, type: 'refuse', reason: event.reason, isRetryable: event.isRetryable };
  }
}
