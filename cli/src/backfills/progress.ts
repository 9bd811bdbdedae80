import type { Backfill, BackfillProgress } from '../api-client/backfills.ts';
import { formatDuration } from '../output/format.ts';

/** The line of seed 004, for logs and pipes. */
export function progressLine(progress: BackfillProgress): string {
  return [
    `[backfill progress: ${percent(progress)}]`,
    `total dagruns: ${progress.totalDagRuns}`,
    `total tasks: ${progress.totalTasks}`,
    `finished: ${progress.finished}`,
    `succeeded: ${progress.succeeded}`,
    `skipped: ${progress.skipped}`,
    `failed: ${progress.failed}`,
  ].join(' | ');
}

const BAR_WIDTH = 24;

/** One line for a terminal. */
export function progressBar({ progress, isPaused }: Backfill, etaMs: number | null): string {
  const filled = Math.floor(shareOf(progress) * BAR_WIDTH);
  const { running, deferred, failed } = progress;
  return [
    `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${percent(progress)}`,
    `tasks ${progress.finished}/${progress.totalTasks}`,
    `runs ${progress.finishedDagRuns}/${progress.totalDagRuns}`,
    ...Object.entries({ running, deferred, failed })
      .filter(([, number]) => number > 0)
      .map(([name, number]) => `${number} ${name}`),
    ...(isPaused ? ['paused'] : etaMs === null ? [] : [`ETA ${formatDuration(etaMs)}`]),
  ].join(' · ');
}

/** How long the rest takes if it goes on as since `elapsedMs` ago, when `finishedBefore` tasks were finished. */
export function etaMs(progress: BackfillProgress, finishedBefore: number, elapsedMs: number): number | null {
  const done = progress.finished - finishedBefore;
  if (done <= 0) return null;
  return (elapsedMs / done) * (progress.totalTasks - progress.finished);
}

function percent(progress: BackfillProgress): string {
  return `${(shareOf(progress) * 100).toFixed(1)}%`;
}

function shareOf({ finished, totalTasks }: BackfillProgress): number {
  return totalTasks === 0 ? 0 : Math.min(1, finished / totalTasks);
}
