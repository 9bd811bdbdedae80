import type { TaskApi } from '../execution-api/task-api.ts';
import type { Json } from '../json.ts';
import type { Logger } from '../log/logger.ts';
import type { Workload } from './workload.ts';

/**
 * Carries work out to where it runs. It knows neither tasks' states nor deferral: a workload is handed over once, ends,
 * and tells its own news through the ExecutionApi. What an executor reports is the fate of the process around it.
 *
 * Extend `BaseExecutor` instead of implementing this from scratch, and run `testExecutor` on it.
 */
export interface Executor {
  /** How many more workloads it would start at once, beside those queued already. Infinity where there is no limit. */
  readonly openSlots: number;
  /** How many more it would take in advance, beyond its slots, because its workloads end very quickly. Default: 0. */
  readonly readAhead?: number;
  start(host: ExecutorHost): Promise<void>;
  /** Takes a workload; a second call with the same id changes nothing. Work begins at once if a slot is free. */
  queueWorkload(workload: Workload): void;
  /** Starts what can be started and looks after the rest. The platform calls it on a timer, as a net. */
  heartbeat(): Promise<void>;
  /** Looks what became of running workloads, where the engine does not tell by itself. */
  sync(): Promise<void>;
  /**
   * Withdraws workloads: queued ones never start, and nothing is reported of them; running ones are killed, and their
   * end is reported. Unknown ids are no error.
   */
  revoke(workloadIds: readonly string[]): Promise<void>;
  /**
   * Takes over workloads of another scheduler that died, and answers the ids it could find; the platform queues the
   * others again. After this they are its own: they hold slots, and their end is reported.
   */
  adopt(workloads: readonly AdoptableWorkload[]): Promise<readonly string[]>;
  /** Waits for running workloads, forgets queued ones, and frees what it holds. */
  end(): Promise<void>;
  /** Like `end`, but kills what runs. */
  terminate(): Promise<void>;
  /** Takes what has happened since the last call. */
  drainEvents(): readonly ExecutorEvent[];
}

/** What the platform offers to an executor. */
export interface ExecutorHost {
  readonly log: Logger;
  /** The scheduler job that this executor serves, for labels and adoption. */
  readonly jobId: string;
  /** Where the project is on this machine; executors that start processes here start them for it. */
  readonly projectRoot: string;
  /** For executors whose workers are children of this process: their news come by IPC and are passed on here. */
  readonly taskApi: TaskApi;
  /** Where workers on other machines reach the execution API; null where it is not served. */
  readonly apiUrl: string | null;
  /** Where XComs go that are too large for the database: a class, and what its constructor gets. Default: nowhere. */
  readonly xcomBackend?: { readonly classpath: string; readonly options: Readonly<Record<string, Json>> };
  /** Largest XCom, as JSON, that goes into the database. Default: 1,000,000. */
  readonly xcomLimitBytes?: number;
  /** How long a task's code may take to end after its deadline, before its process is killed. Default: 5,000. */
  readonly timeoutGraceMs?: number;
  /** There are events to drain. May be called often. */
  wake(): void;
}

export interface AdoptableWorkload {
  readonly workload: Workload;
  /** The engine's own name for it, if it had told one. */
  readonly externalId: string | null;
}

/** The fate of a hand-off. `ended` says only that its process is over: whether it succeeded, failed or deferred, it told itself. */
export type ExecutorEvent =
  | { readonly type: 'accepted'; readonly workloadId: string; readonly externalId: string }
  | { readonly type: 'ended'; readonly workloadId: string }
  /** Its process died, or the engine lost it. */
  | { readonly type: 'lost'; readonly workloadId: string; readonly reason: string }
  /** It never began: the engine refused it. */
  | { readonly type: 'refused'; readonly workloadId: string; readonly reason: string; readonly isRetryable: boolean };
