import { BaseExecutor } from '../executor/base-executor.ts';
import type { Workload } from '../executor/workload.ts';

export interface InlineExecutorOptions {
  /** Zero means no limit. */
  readonly parallelism: number;
  /**
   * Runs a workload to its end. It tells the platform itself how that went, so resolving means `ended`; rejecting is
   * the death of a worker. A function cannot be killed: it is asked, by the signal, to reject soon.
   */
  run(workload: Workload, signal: AbortSignal): Promise<void>;
}

/** Runs workloads in this process, by a function. For tests of what stands above an executor, and for `dags test`. */
export class InlineExecutor extends BaseExecutor {
  readonly #options: InlineExecutorOptions;
  readonly #controllers = new Map<string, AbortController>();

  constructor(options: InlineExecutorOptions) {
    super(options);
    this.#options = options;
  }

  protected override async executeAsync(workload: Workload): Promise<void> {
    void this.#run(workload);
  }

  protected override async kill(workloadIds: readonly string[]): Promise<void> {
    for (const id of workloadIds) this.#controllers.get(id)?.abort(new Error(`Workload "${id}" was killed.`));
  }

  async #run(workload: Workload): Promise<void> {
    const controller = new AbortController();
    this.#controllers.set(workload.id, controller);
    try {
      await this.#options.run(workload, controller.signal);
      this.report({ type: 'ended', workloadId: workload.id });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.report({ type: 'lost', workloadId: workload.id, reason });
    } finally {
      this.#controllers.delete(workload.id);
    }
  }
}
