import { advanceBackfills } from '../backfills/advance-backfills.ts';
import { scheduleDagRuns } from '../dags/schedule-dag-runs.ts';
import { claimRuns } from '../store/dag-runs.ts';
import { missDeadlines, nextInstant } from '../store/schedules.ts';
import { DagRunJob, type DagRunJobOptions } from './dag-run-job.ts';

export interface SchedulerJobOptions extends DagRunJobOptions {
  /** Only these DAGs. Default: all. */
  readonly dagIds?: readonly string[];
  /** How many runs it executes at once. Default: 1,000. */
  readonly maxActiveRuns?: number;
}

/** Makes the runs that schedules and backfills ask for, and executes every run that nobody else holds, for ever. */
export class SchedulerJob extends DagRunJob {
  override readonly type: string = 'SchedulerJob';
  readonly #dagIds: readonly string[] | null;
  readonly #maxActiveRuns: number;
  #nextInstantMs = Number.POSITIVE_INFINITY;

  constructor(options: SchedulerJobOptions) {
    super(options);
    this.#dagIds = options.dagIds ?? null;
    this.#maxActiveRuns = options.maxActiveRuns ?? 1_000;
  }

  protected override get nextInstantMs(): number {
    return this.#nextInstantMs;
  }

  protected override async manageDeadlines(): Promise<void> {
    while ((await missDeadlines(this.options.database)) > 0);
  }

  protected override async collectDagRuns(): Promise<void> {
    await this.scheduleDagRuns();
    await super.collectDagRuns();
    const { database } = this.options;
    for (;;) {
      const limit = Math.min(BATCH, this.#maxActiveRuns - this.runs.size);
      if (limit <= 0) break;
      const claim = { jobId: this.jobId, leaseMs: this.leaseMs, limit, dagIds: this.#dagIds };
      const claimed = await claimRuns(database, claim);
      await this.takeUp(claimed);
      if (claimed.length < limit) break;
    }
    this.#nextInstantMs = (await nextInstant(database))?.getTime() ?? Number.POSITIVE_INFINITY;
  }

  /** Creates the runs that are due by schedules and the next ones of backfills. */
  protected async scheduleDagRuns(): Promise<void> {
    while ((await scheduleDagRuns(this.options, this.#dagIds)).length > 0);
    await advanceBackfills(this.options);
  }
}

const BATCH = 50;
