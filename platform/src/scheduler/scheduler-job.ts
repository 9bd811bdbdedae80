import { claimRuns } from '../store/dag-runs.ts';
import { DagRunJob } from './dag-run-job.ts';

/** Runs every DagRun that nobody else holds, for ever. */
export class SchedulerJob extends DagRunJob {
  override readonly type = 'SchedulerJob';

  protected override async collectDagRuns(): Promise<void> {
    await super.collectDagRuns();
    for (;;) {
      const claimed = await claimRuns(this.options.database, this.jobId, this.leaseMs, BATCH);
      await this.submitDagRuns(claimed);
      // Runs that may not begin yet were released; asking again at once would only find them again.
      if (claimed.length < BATCH) return;
    }
  }
}

const BATCH = 50;
