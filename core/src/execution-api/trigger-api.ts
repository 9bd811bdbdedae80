import type { ConnectionFields } from '../connection/connection.ts';
import type { Json } from '../json.ts';
import type { LogChunk } from '../log/log-store.ts';
import type { SendSignalOptions, SignalVersion } from '../signal/signal.ts';
import type { TaskInstanceKey } from '../task-instance/task-instance-key.ts';
import type { KillReason } from '../trigger/trigger-scope.ts';
import type { SerializedError } from '../windhover-error.ts';
import type { RunStatesReader } from './run-states.ts';
import type { StartedTask, XComAnswer, XComQuery } from './task-api.ts';

/** Which claim of a trigger is speaking; only the holder of the lease is answered. */
export interface TriggerLease {
  readonly triggerId: string;
  readonly leaseEpoch: number;
}

/** What a triggerer tells the platform. It has no database credentials: this is all it knows. */
export interface TriggerApi extends RunStatesReader<TriggerLease> {
  /** A long poll: answers as soon as there is something to say, or after `waitMs`. It also renews all leases. */
  sync(request: TriggerSyncRequest): Promise<TriggerSyncAnswer>;
  /** Events in a batch. Each is answered by itself: one that came too late does not fail the others. */
  submit(events: readonly SubmittedEvent[]): Promise<readonly SubmitAnswer[]>;
  saveCheckpoint(lease: TriggerLease, checkpoint: Json): Promise<void>;
  connection(lease: TriggerLease, connId: string): Promise<ConnectionFields | null>;
  variable(lease: TriggerLease, key: string): Promise<string | null>;
  getXCom(lease: TriggerLease, query: XComQuery): Promise<XComAnswer>;
  log(chunks: readonly LogChunk[]): Promise<void>;
  sendSignal(lease: TriggerLease, key: string, value: Json, options: SendSignalOptions): Promise<SignalVersion>;
  /** A long poll for signals after an offset. */
  listenSignal(lease: TriggerLease, request: ListenSignalRequest): Promise<readonly SignalVersion[]>;
}

export interface TriggerSyncRequest {
  readonly triggererId: string;
  readonly queues: readonly string[];
  /** How many more triggers it would take. */
  readonly capacity: number;
  /** Leases that are over: `onKill` is done, or the trigger is handed back. */
  readonly done: readonly TriggerLease[];
  /** What running triggers saw last. */
  readonly progress: readonly (TriggerLease & TriggerProgress)[];
  readonly waitMs: number;
}

export interface TriggerProgress {
  readonly lastPollAt: string;
  readonly outcome: 'found' | 'nothing' | 'failure';
  readonly nextPollAt: string | null;
  readonly message?: string;
}

export interface TriggerSyncAnswer {
  readonly claimed: readonly ClaimedTrigger[];
  /** Stop them here: their tasks are gone, or somebody else has them. No `onKill`. */
  readonly dropped: readonly TriggerLease[];
  /** The database's clock at this answer. */
  readonly now: string;
  readonly leaseMs: number;
}

export interface ClaimedTrigger extends TriggerLease {
  readonly classpath: string;
  readonly kwargs: Json;
  readonly createdAt: string;
  readonly checkpoint: Json | null;
  /** `cancelling`: run `onKill` with this reason, then report it done. */
  readonly state: { readonly type: 'waiting' } | { readonly type: 'cancelling'; readonly reason: KillReason };
  /** The task it waits for; null for a watcher of a DAG. */
  readonly task: TriggerTask | null;
  readonly deadlineAt: string | null;
}

/** What the waiting task's code may see in the triggerer. */
export interface TriggerTask
  extends Pick<
    StartedTask,
    | 'dagFile'
    | 'versionHash'
    | 'tryNumber'
    | 'attempt'
    | 'logicalDate'
    | 'dataInterval'
    | 'runType'
    | 'params'
    | 'conf'
    | 'sensorStartedAt'
    | 'signals'
    | 'secretsToMask'
  > {
  readonly key: TaskInstanceKey;
}

export type SubmittedEvent = TriggerLease & { readonly outcome: TriggerOutcome };

export type TriggerOutcome =
  | { readonly type: 'event'; readonly payload: Json; readonly id?: string; readonly checkpoint?: Json }
  | { readonly type: 'success'; readonly xcom: Json }
  | { readonly type: 'skipped'; readonly reason: string }
  /** By `TaskFailedEvent`, or because the trigger itself failed. */
  | { readonly type: 'failed'; readonly error: SerializedError };

/** `stale`: somebody else holds the trigger, or its task is gone. */
export type SubmitAnswer = 'applied' | 'duplicate' | 'stale';

export interface ListenSignalRequest {
  readonly keys: readonly string[];
  readonly namespace: string;
  /** Null: from now on. */
  readonly sinceOffset: string | null;
  readonly waitMs: number;
}
