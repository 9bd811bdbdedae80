import type { DagApi, TaskApi, TriggerApi, TriggerSyncRequest } from '@windhover/core';
import { InvalidCallError } from './invalid-call-error.ts';
import { startScope, type TokenScope, type WorkloadSubject } from './token-scope.ts';
import { TokenScopeError } from './token-scope-error.ts';

/** How a method of the execution API is called over HTTP. */
export interface ExecutionMethod {
  /** Arguments beyond these are refused. */
  readonly maxArguments: number;
  /** Throws unless the token allows this very call. */
  allow(scope: TokenScope, args: readonly unknown[]): void;
  /** The implementation gets an `AbortSignal` as a further argument, which ends its wait when the caller has gone. */
  readonly isLongPoll?: true;
}

/** Every method of the role: one that is added to the interface does not compile until it is here. */
export type ExecutionMethods<Api> = { readonly [Method in keyof Api]: ExecutionMethod };

/** By a start token: the workload that the first argument names. */
function ofStart(subjectOf: (first: unknown) => WorkloadSubject, maxArguments: number): ExecutionMethod {
  return {
    maxArguments,
    allow(scope, [first]) {
      const needed = startScope(subjectOf(first));
      if (scope.type !== 'start' || scope.workloadId !== needed.workloadId) throw new TokenScopeError(needed, scope);
    },
  };
}

/** By the token that `start` has answered: the hand-off that the first argument names. */
function ofTask(maxArguments: number): ExecutionMethod {
  return {
    maxArguments,
    allow(scope, [first]) {
      const { taskInstanceId, epoch } = taskSubject(first);
      if (scope.type !== 'execution' || scope.taskInstanceId !== taskInstanceId || scope.epoch !== epoch)
        throw new TokenScopeError({ type: 'execution', taskInstanceId, epoch }, scope);
    },
  };
}

/** By the token that `startCallback` has answered. */
function ofCallback(callbackIdOf: (first: unknown) => unknown, maxArguments: number): ExecutionMethod {
  return {
    maxArguments,
    allow(scope, [first]) {
      const callbackId = rowId(callbackIdOf(first));
      if (scope.type !== 'callback' || scope.callbackId !== callbackId)
        throw new TokenScopeError({ type: 'callback', callbackId }, scope);
    },
  };
}

/** A task's or a callback's, by what the first argument names. */
function ofTaskOrCallback(maxArguments: number): ExecutionMethod {
  const task = ofTask(maxArguments);
  const callback = ofCallback((first) => (first as { callbackId?: unknown } | null)?.callbackId, maxArguments);
  return {
    maxArguments,
    allow(scope, args) {
      const isTask = Object.hasOwn((args[0] ?? {}) as object, 'taskInstanceId');
      (isTask ? task : callback).allow(scope, args);
    },
  };
}

function ofScope(type: TokenScope['type'], needed: string, maxArguments: number): ExecutionMethod {
  return {
    maxArguments,
    allow(scope) {
      if (scope.type !== type) throw new TokenScopeError(needed, scope);
    },
  };
}

const ofTrigger = (maxArguments: number) => ofScope('trigger', 'of a triggerer', maxArguments);
const ofDag = (maxArguments: number) => ofScope('dag', 'of a dag-processor', maxArguments);

export const TASK_METHODS: ExecutionMethods<TaskApi> = {
  start: ofStart(taskSubject, 2),
  heartbeat: { ...ofTask(2), isLongPoll: true },
  defer: ofTask(2),
  reschedule: ofTask(2),
  finish: ofTask(2),
  skipDownstream: ofTask(2),
  getSteps: ofTask(1),
  putStep: ofTask(2),
  getXCom: ofTaskOrCallback(2),
  putXCom: ofTask(3),
  connection: ofTaskOrCallback(2),
  variable: ofTaskOrCallback(2),
  log: ofTaskOrCallback(2),
  sendSignal: ofTaskOrCallback(4),
  triggerDagRun: ofTask(3),
  runStates: ofTaskOrCallback(2),
  startCallback: ofStart((first) => ({ callbackId: rowId(first) }), 1),
  finishCallback: ofCallback((first) => first, 2),
  startConnectionTest: ofStart((first) => ({ testId: rowId(first) }), 1),
  finishConnectionTest: ofStart((first) => ({ testId: rowId(first) }), 2),
};

/** Which trigger it may speak for, its lease says: only the holder is answered. */
export const TRIGGER_METHODS: ExecutionMethods<TriggerApi> = {
  sync: {
    maxArguments: 1,
    isLongPoll: true,
    allow(scope, [request]) {
      const { queues } = (request ?? {}) as Partial<TriggerSyncRequest>;
      // A text would be read as a list by the database.
      if (!Array.isArray(queues)) throw new InvalidCallError(400, '"queues" must be a list.');
      const needed = { type: 'trigger', queues } as const;
      if (scope.type !== 'trigger' || !queues.every((queue) => scope.queues.includes(queue)))
        throw new TokenScopeError(needed, scope);
    },
  },
  submit: ofTrigger(1),
  saveCheckpoint: ofTrigger(2),
  connection: ofTrigger(2),
  variable: ofTrigger(2),
  getXCom: ofTrigger(2),
  log: ofTrigger(1),
  sendSignal: ofTrigger(4),
  listenSignal: { ...ofTrigger(2), isLongPoll: true },
  runStates: ofTrigger(2),
};

export const DAG_METHODS: ExecutionMethods<DagApi> = {
  putDagFile: ofDag(1),
  putDagFileList: ofDag(1),
};

/** Who names a callback beside it is refused: the one would be checked here, and the other further in. */
function taskSubject(first: unknown): { readonly taskInstanceId: string; readonly epoch: number } {
  const { taskInstanceId, epoch, callbackId } = (first ?? {}) as Readonly<Record<string, unknown>>;
  if (!Number.isSafeInteger(epoch) || callbackId !== undefined) throw noHandOff();
  return { taskInstanceId: rowId(taskInstanceId), epoch: epoch as number };
}

/** Ids of rows are numbers in texts; anything else would only be refused by the database. */
function rowId(value: unknown): string {
  if (typeof value !== 'string' || !/^\d{1,18}$/.test(value)) throw noHandOff();
  return value;
}

function noHandOff(): InvalidCallError {
  return new InvalidCallError(
    400,
    'its first argument must name the hand-off that speaks: { "taskInstanceId": "17", "epoch": 3 }, or the id of a callback or test.',
  );
}
