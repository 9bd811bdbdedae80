import { BaseBranchOperator, type Context } from '@windhover/core';

/**
 * Skips the tasks directly below it unless its run is the latest of its schedule; what comes further below follows by
 * its trigger rules. Runs that somebody started by hand or by a signal go on.
 *
 * A run is no longer the latest when a later one exists, or when more time than one more interval has passed since its
 * own one ended.
 */
export class LatestOnlyOperator extends BaseBranchOperator {
  async chooseBranch(context: Context): Promise<readonly string[] | null> {
    if (context.runType === 'manual' || context.runType === 'signal' || (await isLatest(context))) {
      return [...this.downstreamTaskIds];
    }
    context.log.info('This is not the latest run: the tasks directly below are skipped.');
    return null;
  }
}

async function isLatest(context: Context): Promise<boolean> {
  const { dagId, logicalDate, dataInterval } = context;
  const nextEndMs = 2 * dataInterval.end.getTime() - dataInterval.start.getTime();
  if (context.now().getTime() > nextEndMs) return false;
  // The next interval's run, which may have ended, and any that goes on.
  const runs = [
    ...(await context.runStates({ dagId, logicalDates: [dataInterval.end] })),
    ...(await context.runStates({ dagId })),
  ];
  return runs.every((run) => run.logicalDate <= logicalDate);
}
