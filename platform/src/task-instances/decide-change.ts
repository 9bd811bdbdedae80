import {
  canBecome,
  DeferralTimeoutError,
  ExecutionTimeoutError,
  type FinishReport,
  type KillReason,
  retryDelayAfter,
  type SerializedDeferral,
  type SerializedError,
  type SerializedEvent,
  type SerializedResume,
  type SerializedTask,
  serializeError,
  type TaskInstanceState,
  type XComValue,
} from '@windhover/core';
import type { TaskChange } from './task-change.ts';
import type { TaskInstanceRow } from './task-instance-row.ts';

/** What a change does, beside the row itself. All of it is written in one transaction. */
export interface Decision {
  readonly row: TaskInstanceRow;
  /** The states it passes through, each of which is a signal in the log. */
  readonly path: readonly TaskInstanceState[];
  /** What happens to its place in pools and limits. */
  readonly slot?: 'take' | 'release' | 'park';
  readonly trigger?:
    | { readonly type: 'insert'; readonly deferral: SerializedDeferral }
    | { readonly type: 'replace'; readonly triggerId: number; readonly deferral: SerializedDeferral }
    | { readonly type: 'delete'; readonly triggerId: number }
    | { readonly type: 'cancel'; readonly triggerId: number; readonly reason: KillReason };
  /** Where the task goes on, to be encrypted into the row. Null forgets it. */
  readonly next?: { readonly resume: SerializedResume; readonly event: SerializedEvent | null } | null;
  /** Its result, to be stored as an XCom. */
  readonly result?: Exclude<XComValue, { type: 'none' }>;
  /** A line of its history. */
  readonly attempt?: { readonly state: TaskInstanceState; readonly reason: string };
  readonly dropsSteps?: boolean;
  readonly dropsXComs?: boolean;
  readonly callback?: 'onFailure' | 'onSuccess' | 'onRetry';
}

/** Decides one change to a task instance. Pure: what it needs to know it is given. Null: too late, nothing changes. */
export function decideChange(
  row: TaskInstanceRow,
  change: TaskChange,
  task: SerializedTask | undefined,
  now: Date,
): Decision | null {
  if ('epoch' in change && change.epoch !== row.epoch) return null;
  switch (change.type) {
    case 'schedule':
      return when(row, ['none', 'up_for_retry', 'up_for_reschedule'], () => schedule(row, now));
    case 'skip':
      return when(row, ['none', 'scheduled'], () => end(row, 'skipped', now));
    case 'upstreamFail':
      return when(row, ['none', 'scheduled'], () => end(row, 'upstream_failed', now));
    case 'queue': {
      const ready =
        row.state === 'scheduled' ? { row, path: [] } : decideChange(row, { ...change, type: 'schedule' }, task, now);
      if (!ready) return null;
      const queued = {
        ...ready.row,
        state: 'queued',
        epoch: row.epoch + 1,
        queuedAt: now,
        queuedByJob: change.jobId,
        executor: change.executor,
      } as const;
      return { row: queued, path: [...ready.path, 'queued'], slot: 'take' };
    }
    case 'accept':
      return when(row, ['queued', 'running'], () => ({ row: { ...row, externalId: change.externalId }, path: [] }));
    case 'start':
      return start(row, change.worker, task, now);
    case 'finish':
      return when(row, ['running', 'queued'], () => finish(row, change.report, task, now));
    case 'defer':
      return when(row, ['running', 'queued'], () => defer(row, change.deferral, now));
    case 'reschedule':
      return when(row, ['running', 'queued'], () => {
        const stopped = leaveRunning(row, now);
        return {
          row: { ...stopped, state: 'up_for_reschedule', resumeAt: change.at, nextMethod: change.resume.methodName },
          path: ['up_for_reschedule'],
          slot: 'release',
          next: { resume: change.resume, event: null },
        };
      });
    case 'lose':
      return lose(row, change.reason, task, now);
    case 'refuse':
      return when(row, ['queued', 'scheduled', 'none', 'up_for_retry', 'up_for_reschedule'], () => {
        const { reason: message, isRetryable, code } = change;
        return fail(row, { name: 'WorkloadRefused', message, isRetryable, ...(code && { code }) }, task, now);
      });
    case 'timeOut':
      return timeOut(row, task, now);
    case 'wake':
      return when(row, ['deferred'], () => (row.triggerId === change.triggerId ? wake(row, change, task, now) : null));
    case 'clear':
      return clear(row, now);
    case 'stop':
      return stop(row, now);
    case 'retryNow':
      return when(row, ['up_for_retry'], () => schedule(row, now));
    case 'mark':
      return row.state === change.state ? { row, path: [] } : withKill(row, 'markState', end(row, change.state, now));
    case 'end':
      return canBecome(row.state, change.state) ? withKill(row, 'runEnded', end(row, change.state, now)) : null;
  }
}

function when(
  row: TaskInstanceRow,
  states: readonly TaskInstanceState[],
  decide: () => Decision | null,
): Decision | null {
  return states.includes(row.state) ? decide() : null;
}

function schedule(row: TaskInstanceRow, now: Date): Decision {
  const isRetry = row.state === 'up_for_retry';
  const next = {
    ...row,
    state: 'scheduled',
    scheduledAt: now,
    resumeAt: null,
    attempt: row.attempt + (isRetry ? 1 : 0),
  } as const;
  return { row: next, path: ['scheduled'] };
}

function start(
  row: TaskInstanceRow,
  worker: { hostname: string; pid: number },
  task: SerializedTask | undefined,
  now: Date,
): Decision | null {
  // The same process may ask again when the answer got lost.
  if (row.state === 'running' && row.hostname === worker.hostname && row.pid === worker.pid) return { row, path: [] };
  return when(row, ['queued'], () => {
    const timeoutMs = task?.executionTimeoutMs ?? null;
    return {
      row: {
        ...row,
        state: 'running',
        hostname: worker.hostname,
        pid: worker.pid,
        startedAt: row.startedAt ?? now,
        runningSince: now,
        sensorStartedAt: row.sensorStartedAt ?? now,
        deadlineAt: row.deadlineAt ?? (timeoutMs === null ? null : new Date(now.getTime() + timeoutMs)),
        queuedMs: row.queuedMs + elapsed(row.queuedAt, now),
      },
      path: ['running'],
    };
  });
}

function finish(row: TaskInstanceRow, report: FinishReport, task: SerializedTask | undefined, now: Date): Decision {
  if (row.requestedAction === 'clear') return fresh({ ...leaveRunning(row, now), requestedAction: null }, now);
  if (row.requestedAction === 'stop' || report.state === 'stopped') return end(row, 'stopped', now);
  // `running` may be written together with the end; its signal is kept.
  const begun: readonly TaskInstanceState[] = row.state === 'queued' ? ['running'] : [];
  if (report.state === 'failed') {
    const failed = fail(row, report.error, task, now);
    return { ...failed, path: [...begun, ...failed.path] };
  }
  const ended =
    report.state === 'skipped'
      ? end(row, 'skipped', now, report.reason)
      : withResult(end(row, 'success', now), report.result);
  return { ...ended, path: [...begun, ...ended.path] };
}

function withResult(decision: Decision, result: XComValue): Decision {
  return result.type === 'none' ? decision : { ...decision, result };
}

function defer(row: TaskInstanceRow, deferral: SerializedDeferral, now: Date): Decision {
  const stopped = leaveRunning(row, now);
  return {
    row: {
      ...stopped,
      state: 'deferred',
      epoch: row.epoch + 1,
      deferredSince: now,
      nextMethod: deferral.resume.methodName,
      triggerTimeout: deferral.timeoutMs === null ? null : new Date(now.getTime() + deferral.timeoutMs),
      onTimeout: deferral.onTimeout,
    },
    path: row.state === 'queued' ? ['running', 'deferred'] : ['deferred'],
    slot: 'park',
    trigger: { type: 'insert', deferral },
    next: { resume: deferral.resume, event: null },
  };
}

function wake(
  row: TaskInstanceRow,
  change: Extract<TaskChange, { type: 'wake' }>,
  task: SerializedTask | undefined,
  now: Date,
): Decision {
  const gone = { type: 'delete', triggerId: change.triggerId } as const;
  const { outcome } = change;
  switch (outcome.type) {
    case 'event': {
      const woken = { ...leaveDeferred(row, now), state: 'scheduled', epoch: row.epoch + 1, scheduledAt: now } as const;
      return {
        row: woken,
        path: ['scheduled'],
        slot: 'release',
        trigger: gone,
        next: { resume: NEXT_RESUME, event: { payload: outcome.payload } },
      };
    }
    case 'success':
      return { ...withResult(end(row, 'success', now), outcome.result), trigger: gone };
    case 'deferred': {
      // The wait goes on with another trigger; the owner of the run has to know of its new timeout.
      const { resume, timeoutMs, onTimeout } = outcome.deferral;
      const triggerTimeout = timeoutMs === null ? null : new Date(now.getTime() + timeoutMs);
      const waiting = { ...row, epoch: row.epoch + 1, nextMethod: resume.methodName, triggerTimeout, onTimeout };
      return {
        row: waiting,
        path: ['deferred'],
        trigger: { type: 'replace', triggerId: change.triggerId, deferral: outcome.deferral },
        next: { resume, event: null },
      };
    }
    case 'skipped':
      return { ...end(row, 'skipped', now, outcome.reason), trigger: gone };
    case 'failed':
      return { ...fail(row, outcome.error, task, now), trigger: gone };
  }
}

/** Stands for the resume point that the row holds already: waking adds the event to it. */
export const NEXT_RESUME: SerializedResume = { methodName: '', kwargs: null, hop: -1 };

function lose(row: TaskInstanceRow, reason: string, task: SerializedTask | undefined, now: Date): Decision | null {
  if (row.state === 'queued') {
    const back = {
      ...row,
      state: 'scheduled',
      epoch: row.epoch + 1,
      externalId: null,
      queuedByJob: null,
      scheduledAt: now,
    } as const;
    return {
      row: back,
      path: ['scheduled'],
      slot: 'release',
      attempt: { state: 'scheduled', reason: `lost before it began: ${reason}` },
    };
  }
  if (row.state !== 'running') return null;
  if (row.requestedAction === 'clear') return fresh({ ...leaveRunning(row, now), requestedAction: null }, now);
  if (row.requestedAction === 'stop') return end(row, 'stopped', now, reason);
  return fail(
    row,
    { name: 'WorkerLost', code: 'worker_lost', message: `The worker was lost: ${reason}` },
    task,
    now,
    'worker_lost',
  );
}

function timeOut(row: TaskInstanceRow, task: SerializedTask | undefined, now: Date): Decision | null {
  const isOver = (at: Date | null) => at !== null && at <= now;
  if (row.state !== 'deferred' || row.triggerId === null) return null;
  const cancel = { type: 'cancel', triggerId: row.triggerId, reason: 'timeout' } as const;
  if (isOver(row.deadlineAt)) {
    const error = serializeError(new ExecutionTimeoutError(row.taskId, task?.executionTimeoutMs ?? 0));
    return { ...fail(row, error, task, now), trigger: cancel, dropsSteps: true };
  }
  if (!isOver(row.triggerTimeout)) return null;
  if (row.onTimeout === 'skip') return { ...end(row, 'skipped', now, 'its wait timed out'), trigger: cancel };
  const waitedMs = elapsed(row.deferredSince, row.triggerTimeout!);
  const error = serializeError(new DeferralTimeoutError(row.taskId, waitedMs, row.onTimeout !== 'fail'));
  return { ...fail(row, error, task, now), trigger: cancel, dropsSteps: true };
}

function fail(
  row: TaskInstanceRow,
  error: SerializedError,
  task: SerializedTask | undefined,
  now: Date,
  reason = 'failed',
): Decision {
  const policy = task ?? { retries: 0, retryDelayMs: 0, retryExponentialBackoff: false };
  const delayMs = retryDelayAfter(policy, { tryNumber: row.tryNumber, isRetryable: error.isRetryable ?? true });
  if (delayMs === null) return { ...end({ ...row, error }, 'failed', now, reason), next: null, callback: 'onFailure' };
  const left = {
    ...leaveRunning(leaveDeferred(row, now), now),
    triggerId: null,
    triggerTimeout: null,
    deadlineAt: null,
    nextMethod: null,
  };
  return {
    row: {
      ...left,
      error,
      state: 'up_for_retry',
      tryNumber: row.tryNumber + 1,
      epoch: row.epoch + 1,
      resumeAt: new Date(now.getTime() + delayMs),
    },
    path: ['up_for_retry'],
    slot: 'release',
    next: null,
    attempt: { state: 'failed', reason },
    callback: 'onRetry',
    ...(error.dropsSteps ? { dropsSteps: true } : {}),
  };
}

/** A terminal state. The epoch rises, so that nobody who still works on it can change anything. */
function end(row: TaskInstanceRow, state: TaskInstanceState, now: Date, reason: string = state): Decision {
  const left = leaveRunning(leaveDeferred(row, now), now);
  return {
    row: {
      ...left,
      state,
      epoch: row.epoch + 1,
      endedAt: now,
      requestedAction: null,
      triggerId: null,
      triggerTimeout: null,
      resumeAt: null,
      error: state === 'failed' ? row.error : null,
    },
    path: [state],
    slot: 'release',
    next: null,
    attempt: { state, reason },
    ...(state === 'success' ? { callback: 'onSuccess' as const } : {}),
  };
}

function clear(row: TaskInstanceRow, now: Date): Decision {
  // A running task ends first, so that two attempts never overlap.
  if (row.state === 'running') return { row: { ...row, requestedAction: 'clear' }, path: [] };
  return withKill(row, 'clear', fresh(leaveDeferred(row, now), now));
}

function stop(row: TaskInstanceRow, now: Date): Decision | null {
  if (row.state === 'running') return { row: { ...row, requestedAction: 'stop' }, path: [] };
  return canBecome(row.state, 'stopped') ? withKill(row, 'stop', end(row, 'stopped', now)) : null;
}

/** As it was before anything happened, but with a new attempt. */
function fresh(row: TaskInstanceRow, _now: Date): Decision {
  return {
    row: {
      ...row,
      state: 'none',
      tryNumber: 1,
      attempt: row.attempt + 1,
      epoch: row.epoch + 1,
      externalId: null,
      queuedByJob: null,
      requestedAction: null,
      triggerId: null,
      triggerTimeout: null,
      onTimeout: null,
      nextMethod: null,
      resumeAt: null,
      deadlineAt: null,
      sensorStartedAt: null,
      scheduledAt: null,
      queuedAt: null,
      startedAt: null,
      endedAt: null,
      runningMs: 0,
      queuedMs: 0,
      deferredMs: 0,
      error: null,
    },
    path: ['none'],
    slot: 'release',
    next: null,
    dropsSteps: true,
    dropsXComs: true,
  };
}

/** A deferred task that ends otherwise than by its trigger: the trigger's outside work is cancelled. */
function withKill(row: TaskInstanceRow, reason: KillReason, decision: Decision): Decision {
  return row.triggerId === null
    ? decision
    : { ...decision, trigger: { type: 'cancel', triggerId: row.triggerId, reason } };
}

function leaveRunning(row: TaskInstanceRow, now: Date): TaskInstanceRow {
  if (!row.runningSince) return row;
  return { ...row, runningMs: row.runningMs + elapsed(row.runningSince, now), runningSince: null };
}

function leaveDeferred(row: TaskInstanceRow, now: Date): TaskInstanceRow {
  if (!row.deferredSince) return row;
  return {
    ...row,
    deferredMs: row.deferredMs + elapsed(row.deferredSince, now),
    deferredSince: null,
    triggerId: null,
    triggerTimeout: null,
  };
}

function elapsed(since: Date | null, now: Date): number {
  return since ? Math.max(0, now.getTime() - since.getTime()) : 0;
}
