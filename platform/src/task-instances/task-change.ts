import type {
  FinishReport,
  SerializedDeferral,
  SerializedResume,
  TriggerOutcome,
  WorkerIdentity,
} from '@windhover/core';

/**
 * Something that is to happen to a task instance. Whoever asks names the epoch it holds; if that is old, nothing
 * happens and the answer is `stale`. Owners of a run, workers, triggerers and users all ask through these.
 */
export type TaskChange = { readonly id: number } & (
  | { readonly type: 'schedule' | 'skip' | 'upstreamFail'; readonly epoch: number }
  | { readonly type: 'queue'; readonly epoch: number; readonly jobId: number; readonly executor: string }
  | { readonly type: 'accept'; readonly epoch: number; readonly externalId: string }
  | { readonly type: 'start'; readonly epoch: number; readonly worker: WorkerIdentity }
  | { readonly type: 'finish'; readonly epoch: number; readonly report: FinishReport }
  | { readonly type: 'defer'; readonly epoch: number; readonly deferral: SerializedDeferral }
  | { readonly type: 'reschedule'; readonly epoch: number; readonly at: Date; readonly resume: SerializedResume }
  /** The process around it is gone. Before `start` was answered that costs no try. */
  | { readonly type: 'lose'; readonly epoch: number; readonly reason: string }
  /** It cannot be run: the executor does not take it, or something it needs is not there. */
  | {
      readonly type: 'refuse';
      readonly epoch: number;
      readonly reason: string;
      readonly isRetryable: boolean;
      readonly code?: string;
    }
  /** Its deferral, or its try as a whole, has taken too long. */
  | { readonly type: 'timeOut'; readonly epoch: number }
  | { readonly type: 'wake'; readonly triggerId: number; readonly leaseEpoch: number; readonly outcome: TriggerOutcome }
  /** By a user; whatever the epoch. */
  | { readonly type: 'clear' | 'stop' | 'retryNow' }
  | { readonly type: 'mark'; readonly state: 'success' | 'failed' | 'skipped' }
  /** The run has ended or was given up: unfinished tasks end with it. */
  | { readonly type: 'end'; readonly state: 'stopped' | 'skipped' | 'success' }
);

/**
 * `applied`: it happened. `stale`: it came too late. `noSlot`: a pool or a limit is full; nothing changed but that the
 * task is `scheduled`.
 */
export type ChangeAnswer = 'applied' | 'stale' | 'noSlot';
