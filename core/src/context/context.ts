import type { ConnectionSource } from '../connection/base-hook.ts';
import type { DagRunState, DagRunType } from '../dag-run/dag-run-state.ts';
import type { Duration } from '../duration.ts';
import type { Json } from '../json.ts';
import type { Logger } from '../log/logger.ts';
import type { SendSignalOptions, SignalVersion } from '../signal/signal.ts';
import type { TaskInstanceKey } from '../task-instance/task-instance-key.ts';
import type { TaskInstanceState } from '../task-instance/task-instance-state.ts';
import type { BaseTrigger } from '../trigger/base-trigger.ts';
import type { PollOptions } from '../trigger/poll.ts';

/** What is known of a run wherever code runs for it. Callbacks of a DAG get this. */
export interface RunContext extends ConnectionSource {
  readonly dagId: string;
  readonly runId: string;
  /** The version of the DAG this run is pinned to. */
  readonly versionHash: string;
  /** The start of the interval the run stands for. */
  readonly logicalDate: Date;
  readonly dataInterval: DataInterval;
  readonly runType: DagRunType;
  /** The DAG's params, each with its default or the value from the run's conf. */
  readonly params: Readonly<Record<string, Json>>;
  /** The conf the run was started with. */
  readonly conf: Readonly<Record<string, Json>>;
  readonly log: Logger;
  /** Aborts when the code is to stop: killed, timed out, or its process is shutting down. */
  readonly signal: AbortSignal;
  readonly xcom: XComReader;

  /** The clock to use; in tests it is virtual. */
  now(): Date;
  /** Throws `VariableNotFoundError` when there is none. */
  variable(key: string): Promise<string>;
  sendSignal(key: string, value: Json, options?: SendSignalOptions): Promise<SignalVersion>;
  /** States of other DAG runs and their tasks. */
  runStates(query: RunStatesQuery): Promise<readonly RunStates[]>;
}

/**
 * What both a worker and a triggerer can offer to a task's code. `poke`, `startTrigger` and templates get this part
 * only, so that they run unchanged in either place.
 */
export interface TriggerContext extends RunContext, TaskInstanceKey {
  readonly tryNumber: number;
  readonly attempt: number;
  /** When this sensor began to wait, over all its deferrals, reschedules and retries. */
  readonly sensorStartedAt: Date;
  /** The signal versions that started this attempt, by `signalName`. Empty for a start along plain edges. */
  readonly signals: Readonly<Record<string, SignalVersion>>;
}

/** What a task's code gets on a worker. */
export interface Context extends TriggerContext {
  readonly xcom: XComReader & XComWriter;
  /**
   * Waits on this worker, holding its slot. For waits of more than a second or two, defer. A number is milliseconds,
   * for computed waits.
   */
  sleep(duration: Duration | number): Promise<void>;
  /** Polls on this worker, holding its slot, as `scope.poll` does in a triggerer: for `deferrable: false`. */
  poll<T>(check: () => Promise<T | undefined>, options: PollOptions): Promise<T>;
  /**
   * Does something once: the result is stored, and neither a resume nor a retry does it again.
   *
   * ```ts
   * const job = await context.step('submit', () => client.submit(query));
   * ```
   */
  step<T>(name: string, run: () => T | Promise<T>): Promise<T>;
  /**
   * Waits without a worker inside a plain function: the function ends here, and runs again from its beginning when the
   * trigger has fired, with finished steps answered from the store.
   *
   * ```ts
   * const { status } = await context.defer('job', new AcmeJobTrigger({ handle: job.id }));
   * ```
   */
  defer<Event>(name: string, trigger: BaseTrigger<Event, any>, options?: { timeout?: Duration }): Promise<Event>;
  triggerDagRun(dagId: string, options?: TriggerDagRunOptions): Promise<TriggeredDagRun>;
  /** Skips tasks of this run that have not started, as branching does. */
  skipDownstream(taskIds: readonly string[]): Promise<void>;
}

export interface DataInterval {
  readonly start: Date;
  readonly end: Date;
}

export interface XComReader {
  /** What another task of this run has pushed, or undefined. */
  pull<T = unknown>(taskId: string, options?: XComPullOptions): Promise<T | undefined>;
}

export interface XComPullOptions {
  /** Default: `return_value`. */
  readonly key?: string;
  /** Default: −1, a task that is not mapped. */
  readonly mapIndex?: number;
  /** Default: this run. */
  readonly runId?: string;
  /** Default: this DAG. */
  readonly dagId?: string;
}

export interface XComWriter {
  push(key: string, value: unknown): Promise<void>;
}

export interface RunStatesQuery {
  readonly dagId: string;
  /** Which runs: by id or by logical date. Default: all unfinished ones. */
  readonly runIds?: readonly string[];
  readonly logicalDates?: readonly Date[];
  /** Whose states to tell. Default: none, only the runs'. */
  readonly taskIds?: readonly string[];
  /** Default: none. */
  readonly taskGroupId?: string;
}

export interface RunStates {
  readonly runId: string;
  readonly logicalDate: Date;
  readonly state: DagRunState;
  readonly tasks: Readonly<Record<string, TaskInstanceState>>;
}

export interface TriggerDagRunOptions {
  /** Default: {}. */
  readonly conf?: Readonly<Record<string, Json>>;
  /** Default: now. */
  readonly logicalDate?: Date;
  /** The same key never starts a second run. Default: the task, the DAG and how many were started before, over retries. */
  readonly dedupeKey?: string;
}

export interface TriggeredDagRun {
  readonly dagId: string;
  readonly runId: string;
  readonly logicalDate: Date;
}
