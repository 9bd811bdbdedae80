import type { ConnectionFields } from '../connection/connection.ts';
import type { TriggerDagRunOptions, TriggeredDagRun } from '../context/context.ts';
import type { StepRecord } from '../context/replay.ts';
import type { DagRunType } from '../dag-run/dag-run-state.ts';
import type { Json } from '../json.ts';
import type { LogChunk } from '../log/log-store.ts';
import type { SerializedDeferral, SerializedEvent, SerializedResume } from '../operator/serialized-deferral.ts';
import type { SendSignalOptions, SignalVersion } from '../signal/signal.ts';
import type { TaskInstanceKey } from '../task-instance/task-instance-key.ts';
import type { KillReason } from '../trigger/trigger-scope.ts';
import type { SerializedError } from '../windhover-error.ts';
import type { RunStatesReader } from './run-states.ts';

/** Which hand-off of a task instance is speaking. An older one than the platform's is answered `StaleEpochError`. */
export interface TaskHandOff {
  readonly taskInstanceId: string;
  readonly epoch: number;
}

/**
 * What a running task tells the platform. Over HTTP between machines, over IPC or as plain calls inside one; dates are
 * ISO texts, so that nothing changes on the way. The transport carries the token.
 */
export interface TaskApi extends RunStatesReader<TaskHandOff> {
  /** Moves the task to `running` and tells where to begin. Asking twice from the same process gives the same answer. */
  start(handOff: TaskHandOff, worker: WorkerIdentity): Promise<StartedTask>;
  heartbeat(handOff: TaskHandOff): Promise<HeartbeatAnswer>;
  /** Trigger row and state `deferred` in one transaction. */
  defer(handOff: TaskHandOff, deferral: SerializedDeferral): Promise<void>;
  reschedule(handOff: TaskHandOff, request: { readonly at: string; readonly resume: SerializedResume }): Promise<void>;
  finish(handOff: TaskHandOff, report: FinishReport): Promise<void>;
  skipDownstream(handOff: TaskHandOff, taskIds: readonly string[]): Promise<void>;
  getSteps(handOff: TaskHandOff): Promise<readonly StepRecord[]>;
  /** A record with the same hop and sequence replaces the former one. */
  putStep(handOff: TaskHandOff, record: StepRecord): Promise<void>;
  getXCom(handOff: TaskHandOff, query: XComQuery): Promise<XComAnswer>;
  putXCom(handOff: TaskHandOff, entry: XComEntry): Promise<void>;
  /** Null when there is none. */
  connection(handOff: TaskHandOff, connId: string): Promise<ConnectionFields | null>;
  variable(handOff: TaskHandOff, key: string): Promise<string | null>;
  log(handOff: TaskHandOff, chunks: readonly LogChunk[]): Promise<void>;
  sendSignal(handOff: TaskHandOff, key: string, value: Json, options: SendSignalOptions): Promise<SignalVersion>;
  triggerDagRun(handOff: TaskHandOff, dagId: string, options: TriggerDagRunOptions): Promise<TriggeredDagRun>;
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
  | { readonly state: 'success'; readonly result: Json }
  | { readonly state: 'failed'; readonly error: SerializedError }
  | { readonly state: 'skipped'; readonly reason: string }
  | { readonly state: 'stopped' };

export interface XComQuery {
  readonly taskId: string;
  readonly key: string;
  readonly mapIndex: number;
  /** Default: the asking task's own. */
  readonly runId?: string;
  readonly dagId?: string;
}

/** `reference` is for the project's `XComBackend`. */
export type XComAnswer =
  | { readonly type: 'none' }
  | { readonly type: 'value'; readonly value: Json }
  | { readonly type: 'reference'; readonly reference: Json };

export type XComEntry = { readonly key: string } & Exclude<XComAnswer, { readonly type: 'none' }>;
