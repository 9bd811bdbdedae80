import { availableParallelism } from 'node:os';
import { BaseExecutor, type ExecutorHost, type Workload } from '@windhover/core';
import { CodeWatcher, WorkerPool } from '@windhover/worker';

export interface LocalExecutorOptions {
  /**
   * How many warm processes run workloads; zero starts a process for each, without a limit. Default: one for each core,
   * and at least four, because most tasks wait more than they compute.
   */
  readonly parallelism?: number;
  /** A warm process is replaced after so many workloads. Default: 1,000. */
  readonly recycleAfterTasks?: number;
}

/**
 * Runs workloads in child processes of the scheduler, on its machine. They die with it, so there is nothing to adopt.
 *
 * ```ts
 * export default defineConfig({ executors: { local: { type: 'local', parallelism: 8 } } });
 * ```
 */
export class LocalExecutor extends BaseExecutor {
  readonly #options: LocalExecutorOptions;
  #pool: WorkerPool | undefined;
  #code: CodeWatcher | undefined;

  constructor(options: LocalExecutorOptions = {}) {
    super({ parallelism: options.parallelism ?? Math.max(4, availableParallelism()) });
    this.#options = options;
  }

  /** While tasks are very short, processes take the next ones in advance, beyond their slots. */
  get readAhead(): number {
    return Math.max(0, (this.#pool?.room ?? 0) - this.openSlots);
  }

  override async start(host: ExecutorHost): Promise<void> {
    const { recycleAfterTasks } = this.#options;
    const { projectRoot, taskApi, xcomBackend, xcomLimitBytes, timeoutGraceMs } = host;
    const code = await CodeWatcher.start(projectRoot, (codeHash) => this.#pool?.useCode(codeHash));
    this.#code = code;
    this.#pool = new WorkerPool({
      size: this.parallelism,
      projectRoot,
      taskApi,
      xcomBackend,
      xcomLimitBytes,
      timeoutGraceMs,
      codeHash: code.codeHash,
      ...(recycleAfterTasks !== undefined && { recycleAfterTasks }),
      onEnded: (workloadId) => this.report({ type: 'ended', workloadId }),
      onLost: (workloadId, reason) => this.report({ type: 'lost', workloadId, reason }),
      onOutput: (line, pid) => host.log.info(line, { pid }),
    });
    this.#pool.start();
    await super.start(host);
  }

  override async end(): Promise<void> {
    // From here on the base class starts nothing more.
    const ending = super.end();
    for (const id of this.#pool?.withdrawAll() ?? []) this.running.delete(id);
    await ending;
    await this.#code?.close();
    await this.#pool?.close();
  }

  override async terminate(): Promise<void> {
    await super.terminate();
    await this.#code?.close();
    await this.#pool?.terminate();
  }

  /** While tasks are very short, processes get the next ones in advance, beyond their slots. */
  protected override async triggerTasks(openSlots: number): Promise<void> {
    await super.triggerTasks(Math.max(openSlots, this.#pool?.room ?? 0));
  }

  protected override async processTasks(batch: readonly Workload[]): Promise<void> {
    this.#pool!.run(batch);
  }

  /** Not used: `processTasks` hands over whole batches. */
  protected override async executeAsync(workload: Workload): Promise<void> {
    await this.processTasks([workload]);
  }

  protected override async kill(workloadIds: readonly string[]): Promise<void> {
    const notBegun = this.#pool!.kill(workloadIds);
    // For everybody else these were still queued: they go without a word, and others may take their place.
    for (const id of notBegun) this.running.delete(id);
    if (notBegun.length > 0) void this.triggerTasks(0);
  }
}
