import type { DagRunState, DagRunType, Json, Schedule } from '@windhover/core';

// The answers of the REST API about DAGs and their runs, as its contract has them.

export interface Dag {
  readonly dagId: string;
  readonly file: string;
  readonly versionHash: string;
  readonly isActive: boolean;
  readonly isPaused: boolean;
  readonly schedule: Schedule;
  /** For people. */
  readonly scheduleText: string;
  readonly nextLogicalDate: string | null;
  readonly nextRunAt: string | null;
  readonly tags: readonly string[];
  readonly owner: string | null;
  readonly description: string | null;
  readonly taskCount: number;
  readonly updatedAt: string;
  readonly lastRun: Pick<DagRun, 'runId' | 'state' | 'logicalDate'> | null;
}

export interface DagDetails extends Dag {
  readonly tasks: readonly DagTask[];
  readonly params: Readonly<Record<string, Json>>;
  readonly maxActiveRuns: number;
  readonly maxActiveTasks: number;
  readonly catchup: boolean;
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly doc: string | null;
}

/** A task as its DAG describes it. */
export interface DagTask {
  readonly taskId: string;
  readonly operatorName: string;
  readonly taskGroupId: string | null;
  readonly upstreamTaskIds: readonly string[];
  readonly triggerRule: string;
  readonly retries: number;
  readonly pool: string;
  readonly queue: string;
  readonly executor: string | null;
}

export interface DagRun {
  readonly dagId: string;
  readonly runId: string;
  readonly runType: DagRunType;
  readonly state: DagRunState;
  readonly logicalDate: string;
  readonly intervalStart: string;
  readonly intervalEnd: string;
  readonly conf: Readonly<Record<string, Json>>;
  /** Why it ended as it did. */
  readonly reason: string | null;
  readonly versionHash: string;
  readonly backfillId: number | null;
  readonly queuedAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

export interface DagRunDetails extends DagRun {
  /** How many tasks are in which state. */
  readonly tasks: Readonly<Record<string, number>>;
}

/** What an action on tasks has changed, or would change. */
export interface ChangedTasks {
  readonly taskIds: readonly string[];
}

export interface ImportErrorReport {
  readonly id: number;
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
  readonly stack: string | null;
  readonly createdAt: string;
}
