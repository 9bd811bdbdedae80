import type { SerializedError, TaskApi, TaskWorkload } from '@windhover/core';

/** What a task process serves to the pool that started it. */
export interface TaskProcessApi {
  /** Puts workloads at the end of its queue. It runs them one after the other. */
  run(workloads: readonly TaskWorkload[]): Promise<void>;
  /** Ends the process when it has nothing left to do. */
  retire(): Promise<void>;
}

/**
 * What a pool serves to its task processes: the platform's TaskApi for the workloads they were given, and news of the
 * process itself. A workload that was given to another process meanwhile is refused at `start`: so the pool can take it
 * back without asking, even when this process hears nothing because its code blocks the event loop.
 */
export interface TaskPoolApi extends TaskApi {
  /** The process can take workloads. */
  ready(): Promise<void>;
  /** A hand-off that is over without a report: it was abandoned (null), or could not be started or reported. */
  gaveUp(workloadId: string, error: SerializedError | null): Promise<void>;
}

/** Given to a task process as its argument, as JSON. */
export interface TaskProcessSettings {
  readonly projectRoot: string;
  readonly codeHash: string;
  readonly xcomLimitBytes?: number | undefined;
  readonly timeoutGraceMs?: number | undefined;
}
