import { ApiError } from '../api-client/api-error.ts';
import type { Backfill } from '../api-client/backfills.ts';
import type { DagRun } from '../api-client/dags.ts';
import { path } from '../api-client/path.ts';
import { EXIT } from '../exit-codes.ts';
import { poll } from '../follow/poll.ts';
import { count, durationBetween, formatDuration, shellWord, stateColour } from '../output/format.ts';
import type { Session } from '../session.ts';
import { etaMs, progressBar, progressLine } from './progress.ts';

/**
 * Starts or resumes a backfill and follows it to its end. Ctrl-C pauses it on the server, so that what one does not
 * watch any more does not go on by itself; it can be resumed from anywhere.
 */
export async function followBackfill(session: Session, start: () => Promise<Backfill>): Promise<void> {
  await session.io.interruptible(async (signal) => {
    // Not interrupted itself: afterwards it is known what there is to pause.
    const backfill = await start();
    const ended = await watch(session, backfill, signal);
    if (ended === null) await pauseOnInterrupt(session, backfill.id);
    else await showEnd(session, ended);
  });
}

/** Prints its progress. Null where the signal was aborted before it has ended. */
async function watch({ api, output }: Session, first: Backfill, signal: AbortSignal): Promise<Backfill | null> {
  const read = () => api.get<Backfill>(path`/backfills/${first.id}`, {}, { signal });
  using live = output.isLive ? output.liveLine() : null;
  const startedAt = performance.now();
  let lastLine = '';
  let wasPaused = false;
  for await (const backfill of poll(read, output, signal)) {
    const line = progressLine(backfill.progress);
    if (output.isJson) output.record(backfill);
    else if (live) {
      const eta = etaMs(backfill.progress, first.progress.finished, performance.now() - startedAt);
      live.update(() => progressBar(backfill, eta));
    } else if (line !== lastLine) output.line(line);
    lastLine = line;
    if (backfill.endedAt !== null) return backfill;
    if (backfill.isPaused && !wasPaused) {
      const text = `Backfill ${backfill.id} is paused. Resume it with: windhover backfill resume ${backfill.id}`;
      if (live) live.print(text);
      else output.notice(text);
    }
    wasPaused = backfill.isPaused;
  }
  return null;
}

async function pauseOnInterrupt(session: Session, id: number): Promise<void> {
  try {
    await session.api.post<Backfill>(path`/backfills/${id}/pause`);
  } catch (error) {
    // It has just ended by itself.
    if (!(error instanceof ApiError && error.status === 409)) throw error;
    return showEnd(session, await session.api.get<Backfill>(path`/backfills/${id}`));
  }
  session.exitCode = EXIT.interrupted;
  session.output.notice(
    [
      `Paused backfill ${id}: no more of its runs begin, those that have begun go on.`,
      `Resume it with: windhover backfill resume ${id}`,
      `Cancel it with: windhover backfill cancel ${id}`,
    ].join('\n'),
  );
}

async function showEnd(session: Session, backfill: Backfill): Promise<void> {
  const { api, output } = session;
  const { id, dagId, isCancelled, createdAt, endedAt, progress } = backfill;
  const took = formatDuration(durationBetween(createdAt, endedAt));
  const failed = await api.all<DagRun>('/runs', { backfillId: id, state: 'failed' });
  if (failed.length > 0 || isCancelled) session.exitCode = EXIT.failed;
  const runs = count(progress.totalDagRuns, 'run');
  if (isCancelled)
    output.line(`Backfill ${id} of ${dagId} was cancelled, with ${progress.finishedDagRuns} of ${runs} finished.`);
  if (failed.length > 0) {
    output.line(`Backfill ${id} of ${dagId}: ${failed.length} of ${runs} ${output.paint('red', 'failed')}:`);
    for (const { runId, state } of failed) output.line(`  ${output.paint(stateColour(state), runId)}`);
    output.next(`windhover runs show ${shellWord(dagId)} ${shellWord(failed[0]!.runId)}`);
  } else if (!isCancelled) {
    output.line(`Backfill ${id} of ${dagId} ${output.paint('green', 'succeeded')}: ${runs}, after ${took}.`);
    output.next(`windhover runs list --backfill ${id}`);
  }
}
