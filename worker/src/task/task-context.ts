import {
  Connection,
  ConnectionNotFoundError,
  type Context,
  type Duration,
  durationMs,
  type Json,
  type Logger,
  poll,
  type Replay,
  type RunStatesQuery,
  type StartedTask,
  type TaskApi,
  type TaskHandOff,
  VariableNotFoundError,
} from '@windhover/core';
import { isSensitiveName, type Masker, secretsIn } from './masker.ts';
import type { XComStore } from './xcom-store.ts';

export interface TaskContextParts {
  readonly taskApi: TaskApi;
  readonly handOff: TaskHandOff;
  readonly started: StartedTask;
  readonly replay: Replay;
  readonly xcom: XComStore;
  readonly log: Logger;
  readonly masker: Masker;
  readonly signal: AbortSignal;
  /** The database's clock. */
  now(): Date;
}

/** What a task's code gets on a worker: everything it asks goes to the platform under its hand-off. */
export function taskContext(parts: TaskContextParts): Context {
  const { taskApi, handOff, started, replay, xcom, log, masker, signal, now } = parts;
  const triggeredRuns = new Map<string, number>();
  const pause = (duration: Duration | number) =>
    sleep(typeof duration === 'number' ? duration : durationMs(duration), signal);
  return {
    ...started.key,
    versionHash: started.versionHash,
    tryNumber: started.tryNumber,
    attempt: started.attempt,
    logicalDate: new Date(started.logicalDate),
    dataInterval: { start: new Date(started.dataInterval.start), end: new Date(started.dataInterval.end) },
    runType: started.runType,
    params: started.params,
    conf: started.conf,
    sensorStartedAt: new Date(started.sensorStartedAt),
    signals: started.signals,
    log,
    signal,
    now,
    // Arrows: code may take them out of the context.
    xcom: {
      pull: (taskId, options) => xcom.pull(taskId, options),
      push: (key, value) => xcom.push(key, value),
    },
    async connection(connId) {
      const fields = await taskApi.connection(handOff, connId);
      if (!fields) throw new ConnectionNotFoundError(connId);
      masker.add([...(fields.password ? [fields.password] : []), ...secretsIn((fields.extra ?? {}) as Json)]);
      return new Connection(connId, fields);
    },
    async variable(key) {
      const value = await taskApi.variable(handOff, key);
      if (value === null) throw new VariableNotFoundError(key);
      if (isSensitiveName(key)) masker.add([value]);
      return value;
    },
    sendSignal: (key, value, options = {}) => taskApi.sendSignal(handOff, key, value, options),
    async runStates(query) {
      const answers = await taskApi.runStates(handOff, runStatesRequest(query));
      return answers.map((answer) => ({ ...answer, logicalDate: new Date(answer.logicalDate) }));
    },
    sleep: pause,
    poll: (check, options) => poll(check, options, { now, log, sleep: pause }),
    step: (name, run) => replay.step(name, run),
    defer: (name, trigger, options) => replay.defer(name, trigger, options),
    async triggerDagRun(dagId, { conf = {}, logicalDate, dedupeKey } = {}) {
      // By its place in the code: a retry and a replay come by here again and must not start a second one.
      const count = triggeredRuns.get(dagId) ?? 0;
      triggeredRuns.set(dagId, count + 1);
      const triggered = await taskApi.triggerDagRun(handOff, dagId, {
        conf,
        logicalDate: logicalDate?.toISOString() ?? null,
        dedupeKey: dedupeKey ?? `task:${handOff.taskInstanceId}:${started.resume?.hop ?? 0}:${dagId}:${count}`,
      });
      return { ...triggered, logicalDate: new Date(triggered.logicalDate) };
    },
    skipDownstream: (taskIds) => taskApi.skipDownstream(handOff, taskIds),
  };
}

function runStatesRequest(query: RunStatesQuery) {
  const { logicalDates, ...rest } = query;
  return { ...rest, ...(logicalDates && { logicalDates: logicalDates.map((date) => date.toISOString()) }) };
}

/** Rejects with the signal's own reason, so that the code sees why it is to end. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
