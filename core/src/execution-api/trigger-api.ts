import type { ConnectionFields } from '../connection/connection.ts';
import type { Json } from '../json.ts';
import type { UnaddressedLogChunk } from '../log/log-store.ts';
import type { SerializedDeferral } from '../operator/serialized-deferral.ts';
import type { SendSignalOptions, SignalVersion } from '../signal/signal.ts';
import type { TaskInstanceKey } from '../task-instance/task-instance-key.ts';
import type { KillReason } from '../trigger/trigger-scope.ts';
import type { SerializedError } from '../windhover-error.ts';
import type { XComValue } from '../xcom/xcom-value.ts';
import type { RunStatesReader } from './run-states.ts';
import type { StartedTask, XComQuery } from './task-api.ts';

/** Which claim of a trigger is speaking; only the holder of the lease is answered. */
export interface TriggerLease {
  readonly triggerId: string;
  readonly leaseEpoch: number;
}

/** What a triggerer tells the platform. It has no database credentials: this is all it knows. */
export interface TriggerApi extends RunStatesReader<TriggerLease> {
  /**
   * A long poll: answers as soon as there is something to say, or after `waitMs`. It also renews all leases. `signal`
   * says that nobody waits for the answer any more: then nothing is claimed.
   */
  sync(request: TriggerSyncRequest, signal?: AbortSignal): Promise<TriggerSyncAnswer>;
  /** Events in a batch. Each is answered by itself: one that came too late does not fail the others. */
  submit(events: readonly SubmittedEvent[]): Promise<readonly SubmitAnswer[]>;
  saveCheckpoint(lease: TriggerLease, checkpoint: Json): Promise<void>;
  connection(lease: TriggerLease, connId: string): Promise<ConnectionFields | null>;
  variable(lease: TriggerLease, key: string): Promise<string | null>;
  getXCom(lease: TriggerLease, query: XComQuery): Promise<XComValue>;
  log(chunks: readonly (TriggerLease & UnaddressedLogChunk)[]): Promise<void>;
  sendSignal(lease: TriggerLease, key: string, value: Json, options: SendSignalOptions): Promise<SignalVersion>;
  /** A long poll for signals after an offset; the answer tells from where to go on, also when nothing came. */
  listenSignal(lease: TriggerLease, request: ListenSignalRequest): Promise<ListenSignalAnswer>;
}

export interface TriggerSyncRequest {
  readonly triggererId: string;
  readonly queues: readonly string[];
  /** The hash of the project's code it has loaded. */
  readonly codeHash: string;
  /** How many more triggers it would take. */
  readonly capacity: number;
  /** Leases that it gives up, and why. */
  readonly done: readonly (TriggerLease & TriggerRelease)[];
  /** What running triggers saw last. */
  readonly progress: readonly (TriggerLease & TriggerProgress)[];
  readonly waitMs: number;
  /**
   * All leases it has. It says so with its first sync, and with the next after one that failed, because it does not know
   * what was answered then. No other sync of it is under way at that time. Default: they are as the platform knows them.
   */
  readonly held?: readonly TriggerLease[];
  /** How many triggers it has and means to keep; the platform shares them out by that. Default: 0. */
  readonly size?: number;
  /** Where it runs, for people. Default: not known. */
  readonly hostname?: string;
  readonly pid?: number;
  /** When a trigger kept all others waiting, since the last sync. Default: none did. */
  readonly blocks?: readonly LoopBlock[];
  /** It stops: its job ends, and whatever it still holds is free. Default: false. */
  readonly isLast?: boolean;
}

/** Code of a trigger that did not give way to others. */
export interface LoopBlock {
  readonly classpath: string;
  readonly blockedMs: number;
}

/** `killed`: `onKill` is done, the row can go. `handedBack`: somebody else is to go on. `killFailed`: `onKill` failed for good. */
export type TriggerRelease =
  | { readonly outcome: 'killed' | 'handedBack' }
  | { readonly outcome: 'killFailed'; readonly error: SerializedError };

export interface TriggerProgress {
  readonly lastPollAt: string;
  readonly outcome: 'found' | 'nothing' | 'failure';
  readonly nextPollAt: string | null;
  readonly message?: string;
}

export interface TriggerSyncAnswer {
  readonly claimed: readonly ClaimedTrigger[];
  /** Stop them here, without `onKill`: their tasks are gone, or somebody else has them. */
  readonly dropped: readonly (TriggerLease & { readonly reason: 'killed' | 'leaseLost' })[];
  /** The database's clock at this answer. */
  readonly now: string;
  readonly leaseMs: number;
  /** How many triggers it is to hand back: others have room for them, and it has more than its share. Default: 0. */
  readonly excess?: number;
}

export interface ClaimedTrigger extends TriggerLease {
  readonly classpath: string;
  readonly kwargs: Json;
  readonly createdAt: string;
  readonly checkpoint: Json | null;
  /** `cancelling`: run `onKill` with this reason, then report it done. */
  readonly state: { readonly type: 'waiting' } | { readonly type: 'cancelling'; readonly reason: KillReason };
  readonly owner: TriggerOwner;
  readonly deadlineAt: string | null;
}

/** Whose wait it is: one task's, that of several tasks with equal triggers, or a DAG's (a watcher). */
export type TriggerOwner =
  | { readonly type: 'task'; readonly task: TriggerTask }
  | { readonly type: 'shared' }
  | { readonly type: 'dag'; readonly dagId: string; readonly signal: string };

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
  | { readonly type: 'success'; readonly result: XComValue }
  /** The wait goes on with another trigger. */
  | { readonly type: 'deferred'; readonly deferral: SerializedDeferral }
  | { readonly type: 'skipped'; readonly reason: string }
  /** By `TaskFailedEvent`, or because the trigger itself failed. */
  | { readonly type: 'failed'; readonly error: SerializedError };

/** `stale`: somebody else holds the trigger, or its task is gone. */
export type SubmitAnswer = 'applied' | 'duplicate' | 'stale';

export interface ListenSignalAnswer {
  readonly signals: readonly SignalVersion[];
  readonly offset: string;
}

export interface ListenSignalRequest {
  readonly keys: readonly string[];
  readonly namespace: string;
  /** Null: from now on. */
  readonly sinceOffset: string | null;
  readonly waitMs: number;
}
