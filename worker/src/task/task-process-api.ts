import type { SerializedError, TaskApi, Workload } from '@windhover/core';
import type { XComBackendSettings } from './lazy-xcom-backend.ts';

/** What a task process serves to the pool that started it. */
export interface TaskProcessApi {
  /** Puts workloads at the end of its queue. It runs them one after the other. */
  run(workloads: readonly Workload[]): Promise<void>;
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

/** The environment variable with the settings of a task process, which takes it away before users' code runs. */
export const SETTINGS_VARIABLE = 'WINDHOVER_TASK_PROCESS';

/** Given to a task process as JSON. */
export interface TaskProcessSettings {
  readonly projectRoot: string;
  readonly codeHash: string;
  /** Keeps XComs that are too large for the database. Default: none, and they are refused. */
  readonly xcomBackend?: XComBackendSettings | undefined;
  /** Default: 1,000,000. */
  readonly xcomLimitBytes?: number | undefined;
  /** How long a task's code may take to end after its deadline. Default: 5,000. */
  readonly timeoutGraceMs?: number | undefined;
  /** Default: 60,000. */
  readonly callbackTimeoutMs?: number | undefined;
  /** Default: 20,000. */
  readonly connectionTestTimeoutMs?: number | undefined;
}
