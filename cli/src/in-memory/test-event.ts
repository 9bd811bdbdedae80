import type { DagRunState, Json, LogLevel, SerializedError, TaskInstanceState } from '@windhover/core';

/** Something that happened in a test run, as it is printed: a line for people, or a line of JSON. */
export type TestEvent = { readonly at: string } & (
  | {
      readonly type: 'runStarted';
      readonly dagId: string;
      readonly runId: string;
      readonly file: string;
      readonly logicalDate: string;
      readonly params: Readonly<Record<string, Json>>;
      readonly taskIds: readonly string[];
    }
  | {
      readonly type: 'taskStarted';
      readonly taskId: string;
      readonly tryNumber: number;
      readonly maxTries: number;
      /** The method with which it goes on after a wait; null for `execute`. */
      readonly resumedIn: string | null;
    }
  | {
      readonly type: 'log';
      /** Null for a callback of the DAG itself, and for `process`. */
      readonly taskId: string | null;
      /**
       * `trigger`: while the task waited. `callback`: `onFailure`, `onSuccess` or `onRetry`. `process`: outside of all
       * these, such as the DAG file itself while it was imported.
       */
      readonly source: 'task' | 'trigger' | 'callback' | 'process';
      readonly level: LogLevel;
      readonly message: string;
      readonly fields?: Readonly<Record<string, Json>>;
    }
  | {
      readonly type: 'taskDeferred';
      readonly taskId: string;
      /** Its classpath. */
      readonly trigger: string;
      /** Null where it may fire at any time. */
      readonly notBefore: string | null;
      /** Null where it may wait for ever. */
      readonly timeoutAt: string | null;
    }
  | { readonly type: 'taskWoken'; readonly taskId: string; readonly nextMethod: string | null }
  | { readonly type: 'taskRescheduled'; readonly taskId: string; readonly resumeAt: string }
  | {
      readonly type: 'taskRetrying';
      readonly taskId: string;
      readonly nextTry: number;
      readonly maxTries: number;
      readonly resumeAt: string;
      readonly error: SerializedError | null;
    }
  | {
      readonly type: 'taskEnded';
      readonly taskId: string;
      readonly state: TaskInstanceState;
      readonly reason: string;
      readonly error: SerializedError | null;
    }
  /** Where a test differs from the platform, or what is missing for it. */
  | { readonly type: 'note'; readonly taskId: string | null; readonly message: string }
  | RunEnded
);

/** The last event: what became of the run. */
export interface RunEnded {
  readonly type: 'runEnded';
  readonly dagId: string;
  readonly runId: string;
  /** `stopped`: by Ctrl-C. */
  readonly state: Extract<DagRunState, 'success' | 'failed'> | 'stopped';
  readonly reason: string;
  readonly tasks: readonly TestedTask[];
}

export interface TestedTask {
  readonly taskId: string;
  readonly state: TaskInstanceState;
  /** 0 where it never started. */
  readonly tries: number;
  /** While its own code ran. */
  readonly runningMs: number;
  /** While a trigger waited for it. */
  readonly deferredMs: number;
  /** As it is stored, with tags such as `{"$date": …}`. Left out where it has none. */
  readonly result?: Json;
  readonly error: SerializedError | null;
}

export type Report = (event: TestEvent) => void;
