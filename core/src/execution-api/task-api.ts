import type { ConnectionTestResult } from '../connection/base-hook.ts';
import type { ConnectionFields } from '../connection/connection.ts';
import type { StepRecord } from '../context/replay.ts';
import type { DagRunType } from '../dag-run/dag-run-state.ts';
import type { Json } from '../json.ts';
import type { UnaddressedLogChunk } from '../log/log-store.ts';
import type { SerializedDeferral, SerializedEvent, SerializedResume } from '../operator/serialized-deferral.ts';
import type { SendSignalOptions, SignalVersion } from '../signal/signal.ts';
import type { TaskInstanceKey } from '../task-instance/task-instance-key.ts';
import type { KillReason } from '../trigger/trigger-scope.ts';
import type { SerializedError } from '../windhover-error.ts';
import type { XComValue } from '../xcom/xcom-value.ts';
import type { RunStatesReader } from './run-states.ts';

/** Which hand-off of a task instance is speaking. An older one than the platform's is answered `StaleEpochError`. */
export interface TaskHandOff {
  readonly taskInstanceId: string;
  readonly epoch: number;
}

/** A callback that runs now: from `startCallback` until `finishCallback`. It has no epoch, because it changes no state. */
export interface CallbackHandOff {
  readonly callbackId: string;
}

/**
 * What a running task tells the platform. Over HTTP between machines, over IPC or as plain calls inside one; dates are
 * ISO texts, so that nothing changes on the way. The transport carries the token.
 */
export interface TaskApi extends RunStatesReader<TaskHandOff | CallbackHandOff> {
  /** Moves the task to `running` and tells where to begin. Asking twice from the same process gives the same answer. */
  start(handOff: TaskHandOff, worker: WorkerIdentity): Promise<StartedTask>;
  /**
   * A long poll: answers as soon as the task is to stop, or its hand-off is over, and otherwise after `waitMs`. Who
   * cannot wait may answer at once; the next one comes no sooner for it. Default of `waitMs`: 0.
   */
  heartbeat(handOff: TaskHandOff, waitMs?: number): Promise<HeartbeatAnswer>;
  /** Trigger row and state `deferred` in one transaction. */
  defer(handOff: TaskHandOff, deferral: SerializedDeferral): Promise<void>;
  reschedule(handOff: TaskHandOff, request: { readonly at: string; readonly resume: SerializedResume }): Promise<void>;
  finish(handOff: TaskHandOff, report: FinishReport): Promise<void>;
  skipDownstream(handOff: TaskHandOff, taskIds: readonly string[]): Promise<void>;
  getSteps(handOff: TaskHandOff): Promise<readonly StepRecord[]>;
  /** A record with the same hop and sequence replaces the former one. */
  putStep(handOff: TaskHandOff, record: StepRecord): Promise<void>;
  /** Under a callback: an XCom of its run, unless the query names another. */
  getXCom(handOff: TaskHandOff | CallbackHandOff, query: XComQuery): Promise<XComValue>;
  putXCom(handOff: TaskHandOff, key: string, value: XComValue): Promise<void>;
  /** Null when there is none. */
  connection(handOff: TaskHandOff | CallbackHandOff, connId: string): Promise<ConnectionFields | null>;
  variable(handOff: TaskHandOff | CallbackHandOff, key: string): Promise<string | null>;
  /** To the log of the task's attempt, or to that of the callback. */
  log(handOff: TaskHandOff | CallbackHandOff, chunks: readonly UnaddressedLogChunk[]): Promise<void>;
  sendSignal(
    handOff: TaskHandOff | CallbackHandOff,
    key: string,
    value: Json,
    options: SendSignalOptions,
  ): Promise<SignalVersion>;
  triggerDagRun(handOff: TaskHandOff, dagId: string, request: TriggerDagRunRequest): Promise<SerializedDagRun>;
  /** For a `callback` workload; null when it was run already. */
  startCallback(callbackId: string): Promise<StartedCallback | null>;
  /** The error with which the callback failed, or null. */
  finishCallback(callbackId: string, error: SerializedError | null): Promise<void>;
  /** For a `testConnection` workload. */
  startConnectionTest(testId: string): Promise<StartedConnectionTest>;
  finishConnectionTest(testId: string, result: ConnectionTestResult): Promise<void>;
}

export interface WorkerIdentity {
  readonly hostname: string;
  readonly pid: number;
  /** The hash of the project's sources and lockfile that this worker has loaded. */
  readonly codeHash: string;
}

export interface StartedTask {
  /** Replaces the start token. */
  readonly token: string;
  readonly key: TaskInstanceKey;
  readonly dagFile: string;
  readonly versionHash: string;
  readonly tryNumber: number;
  readonly attempt: number;
  readonly logicalDate: string;
  readonly dataInterval: { readonly start: string; readonly end: string };
  readonly runType: DagRunType;
  readonly params: Readonly<Record<string, Json>>;
  readonly conf: Readonly<Record<string, Json>>;
  readonly sensorStartedAt: string;
  readonly signals: Readonly<Record<string, SignalVersion>>;
  /** Absolute end of this try, by the database's clock; null without an execution timeout. */
  readonly deadlineAt: string | null;
  /** The database's clock at this answer, so that a worker knows its own offset. */
  readonly now: string;
  readonly heartbeatIntervalMs: number;
  /** Null begins at `execute`. */
  readonly resume: SerializedResume | null;
  /** What ended the wait; null for a start and after a reschedule. */
  readonly event: SerializedEvent | null;
  readonly steps: readonly StepRecord[];
  /** Texts to mask in the log. */
  readonly secretsToMask: readonly string[];
}

/** `stop`: the task is to end; it has `graceMs` before its process is killed. */
export type HeartbeatAnswer =
  | { readonly action: 'continue'; readonly token?: string }
  | { readonly action: 'stop'; readonly reason: KillReason; readonly graceMs: number };

export type FinishReport =
  | { readonly state: 'success'; readonly result: XComValue }
  | { readonly state: 'failed'; readonly error: SerializedError }
  | { readonly state: 'skipped'; readonly reason: string }
  | { readonly state: 'stopped' };

/** Which function of which DAG file to call, and what its context tells. */
export interface StartedCallback {
  readonly token: string;
  readonly dagFile: string;
  readonly callback:
    | { readonly type: 'task'; readonly name: 'onFailure' | 'onSuccess' | 'onRetry'; readonly key: TaskInstanceKey }
    | { readonly type: 'dag'; readonly name: 'onFailure' | 'onSuccess'; readonly dagId: string; readonly runId: string }
    | { readonly type: 'deadline'; readonly position: number; readonly dagId: string; readonly runId: string };
  /** The state that was reached: a task's or a run's. */
  readonly state: string;
  readonly error: SerializedError | null;
  readonly facts: Pick<
    StartedTask,
    | 'versionHash'
    | 'tryNumber'
    | 'attempt'
    | 'logicalDate'
    | 'dataInterval'
    | 'runType'
    | 'params'
    | 'conf'
    | 'secretsToMask'
  > &
    /** Default of `now`: the worker's clock. Of `sensorStartedAt`: now, as for a task that is no sensor. Of `signals`: {}. */
    Partial<Pick<StartedTask, 'now' | 'sensorStartedAt' | 'signals'>>;
}

export interface StartedConnectionTest {
  readonly connId: string;
  readonly fields: ConnectionFields;
  /** The classpath of the hook that the connection's type names. */
  readonly hook: string;
}

/** `TriggerDagRunOptions` with its date as an ISO text. */
export interface TriggerDagRunRequest {
  readonly conf: Readonly<Record<string, Json>>;
  /** Null: now. */
  readonly logicalDate: string | null;
  readonly dedupeKey: string;
}

export interface SerializedDagRun {
  readonly dagId: string;
  readonly runId: string;
  readonly logicalDate: string;
}

export interface XComQuery {
  readonly taskId: string;
  readonly key: string;
  readonly mapIndex: number;
  /** Default: the asking task's own. */
  readonly runId?: string;
  readonly dagId?: string;
}
