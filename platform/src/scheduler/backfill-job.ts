import { advanceBackfills } from '../backfills/advance-backfills.ts';
import { createBackfill } from '../backfills/backfills.ts';
import type { BackfillRequest } from '../backfills/plan-backfill.ts';
import { type Backfill, getBackfill, type RunProgress } from '../store/backfills.ts';
import { DagRunJob, type DagRunJobOptions } from './dag-run-job.ts';

export interface BackfillJobOptions extends DagRunJobOptions {
  /** What to backfill, or the id of a backfill to go on with. */
  readonly backfill: BackfillRequest | { readonly id: number };
  /** Told when it has got further. Default: a line in the log. */
  onProgress?(progress: RunProgress): void;
}

/**
 * Makes a list of runs for a range of dates and executes it, then is over. It may meet a scheduler that executes some of
 * its runs: it does not matter who does.
 */
export class BackfillJob extends DagRunJob {
  override readonly type: string = 'BackfillJob';
  readonly #wanted: BackfillJobOptions['backfill'];
  readonly #onProgress: (progress: RunProgress) => void;
  #backfillId: number | undefined;
  #backfill: Backfill | undefined;
  #line = '';

  constructor(options: BackfillJobOptions) {
    super(options);
    this.#wanted = options.backfill;
    this.#onProgress = options.onProgress ?? ((progress) => options.log.info(formatProgress(progress)));
  }

  get backfillId(): number | undefined {
    return this.#backfillId;
  }

  override async start(): Promise<void> {
    this.#backfillId = 'id' in this.#wanted ? this.#wanted.id : (await createBackfill(this.options, this.#wanted)).id;
    await super.start();
  }

  protected override get isDone(): boolean {
    return this.#backfill?.endedAt != null;
  }

  protected override async collectDagRuns(): Promise<void> {
    await this.submitDagRuns(await advanceBackfills(this.options, [this.#backfillId!]));
    await super.collectDagRuns();
  }

  protected override async processDagRuns(): Promise<void> {
    await super.processDagRuns();
    this.#backfill = (await getBackfill(this.options.database, this.#backfillId!)) ?? undefined;
    if (!this.#backfill) return;
    const line = formatProgress(this.#backfill.progress);
    if (line !== this.#line) this.#onProgress(this.#backfill.progress);
    this.#line = line;
  }
}

/** The line of progress. */
export function formatProgress(progress: RunProgress): string {
  const { totalDagRuns, totalTasks, finished, succeeded, skipped, failed } = progress;
  const done = totalTasks === 0 ? 0 : (100 * finished) / totalTasks;
  return [
    `[backfill progress: ${done.toFixed(1)}%]`,
    `total dagruns: ${totalDagRuns}`,
    `total tasks: ${totalTasks}`,
    `finished: ${finished}`,
    `succeeded: ${succeeded}`,
    `skipped: ${skipped}`,
    `failed: ${failed}`,
  ].join(' | ');
}
