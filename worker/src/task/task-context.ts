import {
  type Context,
  type Duration,
  durationMs,
  poll,
  type Replay,
  type StartedTask,
  type TaskHandOff,
} from '@windhover/core';
import { type RunContextParts, runContext } from './run-context.ts';
import type { XComStore } from './xcom-store.ts';

export interface TaskContextParts extends Omit<RunContextParts, 'run' | 'facts'> {
  readonly handOff: TaskHandOff;
  readonly started: StartedTask;
  readonly replay: Replay;
  readonly xcom: XComStore;
}

/** What a task's code gets on a worker. */
export function taskContext(parts: TaskContextParts): Context {
  const { taskApi, handOff, started, replay, xcom, log, signal, now } = parts;
  const triggeredRuns = new Map<string, number>();
  const pause = (duration: Duration | number) =>
    sleep(typeof duration === 'number' ? duration : durationMs(duration), signal);
  const context = runContext({ ...parts, run: started.key, facts: started });
  return {
    ...context,
    taskId: started.key.taskId,
    mapIndex: started.key.mapIndex,
    tryNumber: started.tryNumber,
    attempt: started.attempt,
    sensorStartedAt: new Date(started.sensorStartedAt),
    signals: started.signals,
    xcom: { ...context.xcom, push: (key, value) => xcom.push(key, value) },
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
