import type { Json, LogRecord, SerializedError, TaskInstanceState } from '@windhover/core';

// The answers of the REST API about task instances, as its contract has them.

export interface TaskInstance {
  readonly dagId: string;
  readonly runId: string;
  readonly taskId: string;
  readonly mapIndex: number;
  readonly state: TaskInstanceState;
  readonly tryNumber: number;
  readonly maxTries: number;
  readonly attempt: number;
  readonly operatorName: string;
  readonly pool: string;
  readonly queue: string;
  readonly priorityWeight: number;
  readonly executor: string | null;
  readonly hostname: string | null;
  readonly pid: number | null;
  readonly scheduledAt: string | null;
  readonly queuedAt: string | null;
  readonly startedAt: string | null;
  readonly deferredSince: string | null;
  readonly resumeAt: string | null;
  readonly deadlineAt: string | null;
  readonly endedAt: string | null;
  readonly runningMs: number;
  readonly queuedMs: number;
  readonly deferredMs: number;
  readonly error: SerializedError | null;
  readonly requestedAction: 'stop' | 'clear' | null;
}

export interface TaskAttempt {
  readonly attempt: number;
  readonly tryNumber: number;
  readonly state: TaskInstanceState;
  readonly reason: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly runningMs: number | null;
  readonly deferredMs: number | null;
  readonly error: SerializedError | null;
}

export interface TaskExplanation {
  readonly state: TaskInstanceState;
  /** Sentences: what it waits for, since when, what comes next. */
  readonly lines: readonly string[];
  readonly facts: Readonly<Record<string, Json>>;
}

export interface TaskLogPage {
  readonly records: readonly LogRecord[];
  readonly cursor: string;
  readonly attempt: number;
  /** Whether the attempt has ended, so that nothing follows after these records. */
  readonly isOver: boolean;
}
