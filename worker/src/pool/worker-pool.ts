import type { TaskApi, Workload } from '@windhover/core';
import type { TaskProcessSettings } from '../task/task-process-api.ts';
import { WorkerProcess, type WorkerProcessHost } from './worker-process.ts';

export interface WorkerPoolOptions extends Omit<TaskProcessSettings, 'codeHash'> {
  /** How many warm processes. Zero starts a process for each workload, without a limit. */
  readonly size: number;
  /** Where the news of workloads go. */
  readonly taskApi: TaskApi;
  /** The version of the project's code that processes load: see `codeHash`. */
  readonly codeHash: string;
  /** A process is replaced after so many workloads, so that what leaks in users' code does not add up. Default: 1,000. */
  readonly recycleAfterTasks?: number;
  /** It has begun. Default: nobody listens. */
  onStarted?(workloadId: string, pid: number): void;
  /** It ran in order to its end, and has told the platform how that was. */
  onEnded(workloadId: string): void;
  /** Its process died, or could not begin or end it in order. */
  onLost(workloadId: string, reason: string): void;
  /** What processes print outside of tasks and callbacks, and what programs that these start print. Default: it is dropped. */
  onOutput?(line: string, pid: number): void;
}

/**
 * Runs workloads in child processes that stay. A process runs one at a time; while they are very short it gets the next
 * ones in advance, and gives them back as soon as one takes longer.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #host: WorkerProcessHost;
  readonly #workers = new Set<WorkerProcess>();
  /** Waiting for a process. Taken from the front; what is handed back returns there. */
  #queue: Workload[] = [];
  #codeHash: string;
  #failedStarts = 0;
  #isClosing = false;
  #stallTimer: NodeJS.Timeout | undefined;
  #empty = Promise.withResolvers<void>();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#host = this.#makeHost();
    this.#codeHash = options.codeHash;
  }

  /** Starts the warm processes without waiting for them; work may be given at once. */
  start(): void {
    this.#fill();
  }

  /** How many more workloads it would hand to a process now, in advance included. */
  get room(): number {
    const { size } = this.#options;
    if (size === 0) return Number.POSITIVE_INFINITY;
    const workers = [...this.#workers].filter(({ isRetiring }) => !isRetiring);
    const room = workers.reduce((sum, worker) => sum + Math.max(0, this.#depthOf(worker) - worker.load), 0);
    return Math.max(0, room - this.#queue.length);
  }

  /** Runs workloads in this order, as processes become free. */
  run(workloads: readonly Workload[]): void {
    this.#queue.push(...workloads);
    if (this.#failedStarts >= MAX_FAILED_STARTS) this.#failedStarts = 0;
    this.#fill();
    this.#dispatch();
  }

  /**
   * Ends workloads: those that run are killed, after a second to abort, and reported as lost; those that had not begun
   * never will. Answers the latter, of which nothing is reported.
   */
  kill(workloadIds: readonly string[], reason = 'its workload was revoked'): readonly string[] {
    const wanted = new Set(workloadIds);
    const notBegun: Workload[] = this.#queue.filter(({ id }) => wanted.has(id));
    this.#queue = this.#queue.filter(({ id }) => !wanted.has(id));
    for (const worker of this.#workers) {
      const here = workloadIds.filter((id) => worker.hasBegun(id) !== undefined);
      if (here.length === 0) continue;
      // What waits in this process goes elsewhere in any case; only the revoked ones go nowhere.
      const back = worker.handBack();
      notBegun.push(...back.filter(({ id }) => wanted.has(id)));
      this.#queue.unshift(...back.filter(({ id }) => !wanted.has(id)));
      if (here.some((id) => worker.hasBegun(id))) worker.kill(reason);
    }
    this.#fill();
    this.#dispatch();
    return notBegun.map(({ id }) => id);
  }

  /** Takes back everything that has not begun. */
  withdrawAll(): readonly string[] {
    const back = [...this.#queue, ...[...this.#workers].flatMap((worker) => worker.handBack())];
    this.#queue = [];
    return back.map(({ id }) => id);
  }

  /** The project has other code now: processes with the old one finish the task they hold and make room for new ones. */
  useCode(codeHash: string): void {
    if (codeHash === this.#codeHash) return;
    this.#codeHash = codeHash;
    for (const worker of this.#workers) {
      this.#queue.unshift(...worker.handBack());
      worker.retire();
    }
    this.#fill();
    this.#dispatch();
  }

  /** Waits for what runs and ends all processes. What has not begun is dropped. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.withdrawAll();
    for (const worker of this.#workers) worker.retire();
    await this.#untilEmpty();
  }

  /** Like `close`, but kills what runs. */
  async terminate(reason = 'its pool was terminated'): Promise<void> {
    this.#isClosing = true;
    this.withdrawAll();
    for (const worker of this.#workers) worker.kill(reason);
    await this.#untilEmpty();
  }

  async #untilEmpty(): Promise<void> {
    clearTimeout(this.#stallTimer);
    if (this.#workers.size > 0) await this.#empty.promise;
  }

  #fill(): void {
    if (this.#isClosing || this.#failedStarts >= MAX_FAILED_STARTS) return;
    const { size } = this.#options;
    const active = [...this.#workers].filter(({ isRetiring }) => !isRetiring);
    const wanted =
      size === 0 ? this.#queue.length - active.filter(({ load }) => load === 0).length : size - active.length;
    for (let started = 0; started < wanted; started++) this.#startWorker();
  }

  #startWorker(): void {
    const { projectRoot, xcomBackend, xcomLimitBytes, timeoutGraceMs } = this.#options;
    const { callbackTimeoutMs, connectionTestTimeoutMs } = this.#options;
    const limits = { xcomLimitBytes, timeoutGraceMs, callbackTimeoutMs, connectionTestTimeoutMs };
    const settings = { projectRoot, codeHash: this.#codeHash, xcomBackend, ...limits };
    this.#workers.add(new WorkerProcess(settings, this.#host));
  }

  /** Gives each free process one workload before any gets a second. */
  #dispatch(): void {
    if (this.#queue.length === 0) return;
    const given = new Map<WorkerProcess, Workload[]>();
    const loadOf = (worker: WorkerProcess) => worker.load + (given.get(worker)?.length ?? 0);
    const ready = [...this.#workers].filter(({ isReady, isRetiring }) => isReady && !isRetiring);
    // A process that retires may still run its last task: it counts, so that no more tasks run than there are slots.
    let busy = [...this.#workers].filter(({ load }) => load > 0).length;
    const limit = this.#options.size || Number.POSITIVE_INFINITY;
    while (this.#queue.length > 0) {
      const worker = ready
        .filter((one) => loadOf(one) < this.#depthOf(one) && (loadOf(one) > 0 || busy < limit))
        .reduce<WorkerProcess | null>((best, one) => (best && loadOf(best) <= loadOf(one) ? best : one), null);
      if (!worker) break;
      if (loadOf(worker) === 0) busy += 1;
      given.set(worker, [...(given.get(worker) ?? []), this.#queue.shift()!]);
    }
    for (const [worker, workloads] of given) {
      worker.take(workloads);
      if (worker.tasksTaken >= this.#recycleAfter) worker.retire();
    }
    if (given.size === 0) return;
    this.#fill();
    this.#watchStalls();
  }

  get #recycleAfter(): number {
    return this.#options.size === 0 ? 1 : (this.#options.recycleAfterTasks ?? 1_000);
  }

  #depthOf(worker: WorkerProcess): number {
    return Math.min(worker.depth, this.#recycleAfter - worker.tasksTaken + worker.load);
  }

  /** Armed only while something waits behind a task. */
  #watchStalls(): void {
    if (this.#stallTimer || ![...this.#workers].some(({ hasPrefetched }) => hasPrefetched)) return;
    this.#stallTimer = setTimeout(() => {
      this.#stallTimer = undefined;
      for (const worker of this.#workers) {
        if (!worker.isStalled(STALL_MS)) continue;
        worker.forgetPace();
        this.#queue.unshift(...worker.handBack());
      }
      this.#dispatch();
      this.#watchStalls();
    }, STALL_MS);
  }

  #makeHost(): WorkerProcessHost {
    const { taskApi, onStarted, onEnded, onLost, onOutput } = this.#options;
    return {
      taskApi,
      onReady: (worker) => {
        this.#failedStarts = 0;
        if (worker.isRetiring) worker.retire();
        this.#dispatch();
      },
      onStarted: (worker, workloadId) => onStarted?.(workloadId, worker.pid),
      onOver: (worker, workloadId, lostReason) => {
        if (lostReason === null) onEnded(workloadId);
        else onLost(workloadId, lostReason);
        if (worker.isRetiring) worker.retire();
        this.#dispatch();
      },
      onExit: (worker, notBegun, why) => this.#onExit(worker, notBegun, why),
      onOutput: (worker, line) => onOutput?.(line, worker.pid),
    };
  }

  #onExit(worker: WorkerProcess, notBegun: readonly Workload[], why: string): void {
    this.#workers.delete(worker);
    this.#queue.unshift(...notBegun);
    if (!worker.isReady && !worker.wasKilled) this.#failedStarts += 1;
    if (this.#failedStarts >= MAX_FAILED_STARTS) {
      const hopeless = this.#queue.splice(0);
      for (const { id } of hopeless) this.#options.onLost(id, `No process could be started for it. ${why}`);
    }
    this.#fill();
    this.#dispatch();
    if (this.#workers.size === 0) {
      this.#empty.resolve();
      this.#empty = Promise.withResolvers<void>();
    }
  }
}

const STALL_MS = 25;
const MAX_FAILED_STARTS = 3;
