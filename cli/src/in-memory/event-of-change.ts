import { isTerminal } from '@windhover/core';
import type { MadeChange, RunFacts } from './memory-run.ts';
import type { TestEvent } from './test-event.ts';

/** What a change of a task means to whoever watches. */
export function eventOfChange(change: MadeChange, { version }: RunFacts): TestEvent | null {
  const { before, row, decision, trigger } = change;
  const { taskId } = row;
  const at = change.at.toISOString();
  const maxTries = (version.tasks.get(taskId)?.retries ?? 0) + 1;
  if (trigger) {
    const { classpath } = trigger.trigger;
    const timeoutAt = earliest(row.triggerTimeout, row.deadlineAt)?.toISOString() ?? null;
    return {
      at,
      type: 'taskDeferred',
      taskId,
      trigger: classpath,
      notBefore: trigger.notBefore?.toISOString() ?? null,
      timeoutAt,
    };
  }
  if (decision.path.length === 0) return null;
  if (isTerminal(row.state)) {
    const reason = decision.attempt?.reason ?? row.state;
    return { at, type: 'taskEnded', taskId, state: row.state, reason, error: row.error };
  }
  switch (row.state) {
    case 'running':
      return { at, type: 'taskStarted', taskId, tryNumber: row.tryNumber, maxTries, resumedIn: row.nextMethod };
    case 'up_for_retry': {
      const resumeAt = row.resumeAt!.toISOString();
      return { at, type: 'taskRetrying', taskId, nextTry: row.tryNumber, maxTries, resumeAt, error: row.error };
    }
    case 'up_for_reschedule':
      return { at, type: 'taskRescheduled', taskId, resumeAt: row.resumeAt!.toISOString() };
    case 'scheduled':
      return before.state === 'deferred' ? { at, type: 'taskWoken', taskId, nextMethod: row.nextMethod } : null;
    default:
      return null;
  }
}

function earliest(...instants: (Date | null)[]): Date | undefined {
  return instants.filter((instant) => instant !== null).sort((a, b) => a.getTime() - b.getTime())[0];
}
