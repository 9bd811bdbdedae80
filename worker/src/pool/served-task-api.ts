import {
  ExecutionTimeoutError,
  type SerializedError,
  StaleEpochError,
  type StartedTask,
  serializeError,
  type TaskApi,
} from '@windhover/core';
import { CallbackTimeoutError } from '../callback/callback-timeout-error.ts';
import { describeCallback } from '../callback/describe-callback.ts';
import { DEFAULT_CALLBACK_TIMEOUT_MS } from '../callback/run-callback.ts';
import { connectionTestTimeout, DEFAULT_CONNECTION_TEST_TIMEOUT_MS } from '../connection-test/run-connection-test.ts';
import { setLongTimeout } from '../task/long-timeout.ts';
import { connectionSecrets, type Masker } from '../task/masker.ts';
import { ABANDON_GRACE_MS } from '../task/run-limited.ts';
import { DEFAULT_TIMEOUT_GRACE_MS } from '../task/run-task.ts';
import type { TaskPoolApi, TaskProcessSettings } from '../task/task-process-api.ts';
import { WorkloadWithdrawnError } from '../task/workload-withdrawn-error.ts';
import { type Assignment, type Assignments, type Caller, nameOf } from './assignments.ts';

export interface ServedTaskApiParts {
  readonly taskApi: TaskApi;
  readonly settings: TaskProcessSettings;
  readonly assignments: Assignments;
  /** Learns the secrets that pass. */
  readonly masker: Masker;
  onReady(): void;
  onBegun(assignment: Assignment): void;
  /** Its code is over, and its report is under way. */
  onReport(assignment: Assignment): void;
  /** `lostReason` is null if it ended in order. */
  onOver(assignment: Assignment, lostReason: string | null): void;
  killProcess(reason: string): void;
}

/** How much longer than it may a process can take to end its own code, before it is killed. */
export const KILL_GRACE_MS = 1_000;

/**
 * What a pool serves to one of its processes: the TaskApi for what that process was given, with an eye on what passes.
 * A process ends its code itself when time is up; the kills here are for code that blocks it.
 */
export function servedTaskApi(parts: ServedTaskApiParts): object {
  const { taskApi, settings, assignments, masker } = parts;

  const own: Partial<TaskPoolApi> = {
    ready: async () => parts.onReady(),
    gaveUp: async (workloadId, error) => gaveUp(workloadId, error),

    start: (handOff, identity) =>
      begin(handOff, async (assignment) => {
        const started = await taskApi.start(handOff, identity);
        masker.add(started.secretsToMask);
        killAtDeadline(assignment, started, (error) => taskApi.finish(handOff, { state: 'failed', error }));
        return started;
      }),
    finish: (handOff, report) => reported(handOff, () => taskApi.finish(handOff, report)),
    defer: (handOff, deferral) => reported(handOff, () => taskApi.defer(handOff, deferral)),
    reschedule: (handOff, request) => reported(handOff, () => taskApi.reschedule(handOff, request)),
    heartbeat: async (handOff, waitMs) => {
      const assignment = begun(handOff);
      const answer = await taskApi.heartbeat(handOff, waitMs);
      if (answer.action === 'stop' && !assignment.isStopping) {
        assignment.isStopping = true;
        killAfter(assignment, answer.graceMs, () => taskApi.finish(handOff, { state: 'stopped' }));
      }
      return answer;
    },
    connection: async (handOff, connId) => {
      begun(handOff);
      const fields = await taskApi.connection(handOff, connId);
      if (fields) masker.add(connectionSecrets(fields));
      return fields;
    },

    startCallback: (callbackId) =>
      begin({ callbackId }, async (assignment) => {
        const started = await taskApi.startCallback(callbackId);
        if (!started) return null;
        masker.add(started.facts.secretsToMask);
        const limitMs = settings.callbackTimeoutMs ?? DEFAULT_CALLBACK_TIMEOUT_MS;
        const error = serializeError(new CallbackTimeoutError(describeCallback(started.callback), limitMs));
        killAfter(assignment, limitMs + ABANDON_GRACE_MS, () => taskApi.finishCallback(callbackId, error));
        return started;
      }),
    finishCallback: (callbackId, error) => reported({ callbackId }, () => taskApi.finishCallback(callbackId, error)),

    startConnectionTest: (testId) =>
      begin({ testId }, async (assignment) => {
        const started = await taskApi.startConnectionTest(testId);
        masker.add(connectionSecrets(started.fields));
        const limitMs = settings.connectionTestTimeoutMs ?? DEFAULT_CONNECTION_TEST_TIMEOUT_MS;
        const result = connectionTestTimeout(started.connId, limitMs);
        killAfter(assignment, limitMs + ABANDON_GRACE_MS, () => taskApi.finishConnectionTest(testId, result));
        return started;
      }),
    finishConnectionTest: (testId, result) => reported({ testId }, () => taskApi.finishConnectionTest(testId, result)),
  };

  const passOn =
    (name: string) =>
    (caller: Caller, ...args: unknown[]) => {
      begun(caller);
      return (taskApi as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(caller, ...args);
    };

  return new Proxy(own, {
    get: (target, name) =>
      Object.hasOwn(target, name)
        ? target[name as keyof typeof target]
        : typeof name === 'string' && name in taskApi
          ? passOn(name)
          : undefined,
  });

  async function begin<T>(caller: Caller, send: (assignment: Assignment) => Promise<T>): Promise<T> {
    const assignment = assignments.of(caller);
    if (!assignment || assignment.begunAt !== null) throw new WorkloadWithdrawnError(nameOf(caller));
    assignment.begunAt = performance.now();
    parts.onBegun(assignment);
    return send(assignment);
  }

  function begun(caller: Caller): Assignment {
    const assignment = assignments.of(caller);
    if (assignment && assignment.begunAt !== null) return assignment;
    throw 'epoch' in caller
      ? new StaleEpochError(`Task instance ${caller.taskInstanceId}`, caller.epoch)
      : new WorkloadWithdrawnError(nameOf(caller));
  }

  async function reported(caller: Caller, send: () => Promise<void>): Promise<void> {
    const assignment = begun(caller);
    assignment.callOffKill();
    parts.onReport(assignment);
    const report = send();
    assignment.report = report;
    try {
      await report;
    } catch (error) {
      assignment.report = null;
      throw error;
    }
    parts.onOver(assignment, null);
  }

  function gaveUp(workloadId: string, error: SerializedError | null): void {
    const assignment = assignments.withId(workloadId);
    if (assignment) parts.onOver(assignment, error && `it could not be run: ${error.name}: ${error.message}`);
  }

  function killAtDeadline(
    assignment: Assignment,
    { key, now, deadlineAt }: StartedTask,
    fail: (error: SerializedError) => Promise<void>,
  ): void {
    if (deadlineAt === null) return;
    const leftMs = Date.parse(deadlineAt) - Date.parse(now);
    const error = serializeError(new ExecutionTimeoutError(key.taskId, leftMs));
    killAfter(assignment, leftMs + (settings.timeoutGraceMs ?? DEFAULT_TIMEOUT_GRACE_MS), () => fail(error));
  }

  function killAfter(assignment: Assignment, ms: number, verdict: () => Promise<void>): void {
    // An answer may come after what it is about has ended.
    if (assignment.report || assignments.of(assignment.workload) !== assignment) return;
    assignment.callOffKill();
    assignment.callOffKill = setLongTimeout(ms + KILL_GRACE_MS, () => {
      assignment.verdict = verdict;
      parts.killProcess(`its code did not end ${ms} ms after it had to`);
    });
  }
}
