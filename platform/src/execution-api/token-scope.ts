import { type CallbackHandOff, type TaskHandOff, taskWorkloadId } from '@windhover/core';

/** What a token allows. Whoever holds it can do that, and nothing else. */
export type TokenScope =
  /** To start one workload. */
  | { readonly type: 'start'; readonly workloadId: string }
  /** To speak for a task that was started. */
  | ({ readonly type: 'execution' } & TaskHandOff)
  | ({ readonly type: 'callback' } & CallbackHandOff)
  /** A triggerer's, for triggers of these queues. */
  | { readonly type: 'trigger'; readonly queues: readonly string[] }
  /** A dag-processor's. */
  | { readonly type: 'dag' }
  /** For the REST API. `name` says whose it is, in the audit. */
  | { readonly type: 'api'; readonly name: string };

/** Whom a workload is about; a `Workload` is one itself. */
export type WorkloadSubject = TaskHandOff | CallbackHandOff | { readonly testId: string };

/** The scope of the start token that a workload carries. */
export function startScope(subject: WorkloadSubject): Extract<TokenScope, { type: 'start' }> {
  return { type: 'start', workloadId: workloadIdOf(subject) };
}

/** For messages. */
export function describeScope(scope: TokenScope): string {
  switch (scope.type) {
    case 'start':
      return `to start ${scope.workloadId}`;
    case 'execution':
      return `for ${workloadIdOf(scope)} while it runs`;
    case 'callback':
      return `for ${workloadIdOf(scope)} while it runs`;
    case 'trigger':
      return `for triggers of the queues ${scope.queues.join(', ')}`;
    case 'dag':
      return 'for a dag-processor';
    case 'api':
      return 'for the REST API';
  }
}

function workloadIdOf(subject: WorkloadSubject): string {
  if ('taskInstanceId' in subject) return taskWorkloadId(subject.taskInstanceId, subject.epoch);
  return 'callbackId' in subject ? `callback:${subject.callbackId}` : `testConnection:${subject.testId}`;
}
