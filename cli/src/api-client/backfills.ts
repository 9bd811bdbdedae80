import type { Json } from '@windhover/core';

export interface Backfill {
  readonly id: number;
  readonly dagId: string;
  readonly from: string;
  readonly to: string;
  readonly isReverse: boolean;
  readonly reprocess: 'none' | 'failed' | 'all';
  readonly maxActiveRuns: number;
  readonly conf: Readonly<Record<string, Json>>;
  readonly isPaused: boolean;
  /** No more of its runs begin, ever; those that have begun go on. */
  readonly isCancelled: boolean;
  readonly createdAt: string;
  /** Null while it has not ended. */
  readonly endedAt: string | null;
  readonly progress: BackfillProgress;
}

/** Of runs where it says so, otherwise of tasks. */
export interface BackfillProgress {
  readonly totalDagRuns: number;
  readonly finishedDagRuns: number;
  readonly totalTasks: number;
  readonly finished: number;
  readonly succeeded: number;
  readonly skipped: number;
  readonly failed: number;
  readonly running: number;
  readonly deferred: number;
  readonly queued: number;
}

export interface BackfillPlan {
  readonly dates: readonly PlannedDate[];
}

export interface PlannedDate {
  readonly logicalDate: string;
  readonly action: 'create' | 'rerun' | 'skip';
  readonly runId?: string;
}
