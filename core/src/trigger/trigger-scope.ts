import type { ConnectionSource } from '../connection/base-hook.ts';
import type { RunStates, RunStatesQuery, TriggerContext, XComReader } from '../context/context.ts';
import type { Duration } from '../duration.ts';
import type { Json } from '../json.ts';
import type { Logger } from '../log/logger.ts';
import type { BaseOperator } from '../operator/base-operator.ts';
import type { SendSignalOptions, SignalVersion } from '../signal/signal.ts';
import type { PollOptions } from './poll.ts';

/** What a trigger may use while it runs. One for each running trigger. */
export interface TriggerScope extends ConnectionSource {
  /** Aborts when the trigger is to stop in this process, for whatever reason. */
  readonly signal: AbortSignal;
  /** Appears in the log of the task that waits. */
  readonly log: Logger;
  /** When the task was deferred, by the database's clock. The same after a restart. */
  readonly createdAt: Date;
  readonly checkpoint: Checkpoint;
  /** Results of other tasks in the run of the waiting task; a shared trigger and a watcher have none. */
  readonly xcom: XComReader;

  /** The database's clock, as this process knows it; in tests it is virtual. */
  now(): Date;
  /** Rejects when `signal` aborts. A number is milliseconds, for computed waits. */
  sleep(duration: Duration | number): Promise<void>;
  /**
   * Calls `check` until it answers something other than undefined. Errors that pass (network, 429, 5xx) are retried
   * inside a budget; others reject. What it saw last is shown by `windhover tasks explain`.
   *
   * ```ts
   * const job = await scope.poll(async () => {
   *   const job = await client.getJob(this.kwargs.handle);
   *   return job.isDone ? job : undefined;
   * }, { interval: '10s' });
   * ```
   */
  poll<T>(check: () => Promise<T | undefined>, options: PollOptions): Promise<T>;
  /** Throws `VariableNotFoundError` when there is none. */
  variable(key: string): Promise<string>;
  /** One `fetch` serves all triggers of this process that ask for the same key within `ttlMs`. */
  shared<T>(key: string, ttlMs: number, fetch: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Calls a function that blocks in a thread of its own. Arguments and result are serialized. */
  runInThread<T = unknown>(classpath: string, args: readonly unknown[]): Promise<T>;
  runStates(query: RunStatesQuery): Promise<readonly RunStates[]>;
  sendSignal(key: string, value: Json, options?: SendSignalOptions): Promise<SignalVersion>;
  /** Signals as they come, from now on or from after an offset. Ends when `signal` aborts. */
  listenSignal(
    keys: string | readonly string[],
    options?: { readonly namespace?: string; readonly sinceOffset?: string },
  ): AsyncIterable<SignalVersion>;
  /** The task this trigger belongs to, from its DAG file. For triggers that name a task, such as `SensorTrigger`. */
  loadTask(reference: TaskReference): Promise<LoadedTask>;
}

/** A value that survives the restart of a triggerer. */
export interface Checkpoint {
  /** What was saved last, by this process or an earlier one; undefined at first. */
  load<T>(): T | undefined;
  /** Resolves when it is stored. To store it together with an event, pass it with the event. */
  save(value: unknown): Promise<void>;
}

/** Which task, in which version of its DAG, and the arguments that were rendered so far. */
export interface TaskReference {
  readonly dagId: string;
  readonly versionHash: string;
  readonly runId: string;
  readonly taskId: string;
  readonly mapIndex: number;
  /** See `RenderResult.rendered`. */
  readonly rendered: readonly (readonly [path: readonly (string | number)[], value: unknown])[];
}

export interface LoadedTask {
  /** Its `args` are rendered. */
  readonly operator: BaseOperator<any, any>;
  readonly context: TriggerContext;
}

/** Why the task of a trigger will not come back. */
export type KillReason = 'user' | 'clear' | 'markState' | 'stop' | 'runEnded' | 'timeout';

/** Why a trigger's `run` ended in a process. */
export type ExitReason = 'fired' | 'failed' | 'killed' | 'handedBack' | 'leaseLost';
