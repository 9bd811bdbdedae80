import { formatRunId } from '@windhover/core';
import { clearTasks } from '../dag-runs/clear-tasks.ts';
import type { ActionStore } from '../dag-runs/select-tasks.ts';
import { type AdvancingBackfill, adoptRun, endBackfill, lockBackfills, moveBackfill } from '../store/backfills.ts';
import type { Queryable } from '../store/database.ts';
import { currentDag, findRunBy, insertDagRun, notifyRun } from '../store/new-dag-runs.ts';
import { next } from '../timetables/next.ts';
import { backfillDates } from './plan-backfill.ts';

/** Makes the next runs of backfills, as many as each may have at once, and ends those that are through. Answers the new runs. */
export async function advanceBackfills(
  store: ActionStore,
  ids: readonly number[] | null = null,
): Promise<readonly { readonly id: number }[]> {
  return store.database.transaction(async (client) => {
    const made: { id: number }[] = [];
    for (const backfill of await lockBackfills(client, ids)) made.push(...(await advance(client, store, backfill)));
    if (made.length > 0) await notifyRun(client);
    return made;
  });
}

async function advance(client: Queryable, store: ActionStore, backfill: AdvancingBackfill): Promise<{ id: number }[]> {
  const made: { id: number }[] = [];
  const dag = await currentDag(client, backfill.dagId);
  // A DAG that is gone makes no more runs; its backfill ends with those it has.
  const dates = dag && !backfill.isCancelled ? backfillDates(dag.serialized, backfill) : [];
  let position = backfill.nextPosition;
  while (position < dates.length && backfill.unfinishedRuns + made.length < backfill.maxActiveRuns) {
    const run = await makeRun(client, store, backfill, dag!, dates[position]!);
    if (run) made.push(run);
    position += 1;
  }
  if (position > backfill.nextPosition) await moveBackfill(client, backfill.id, position);
  if (position >= dates.length && backfill.unfinishedRuns + made.length === 0) await endBackfill(client, backfill.id);
  return made;
}

/** Null where the date's run is left alone. */
async function makeRun(
  client: Queryable,
  store: ActionStore,
  backfill: AdvancingBackfill,
  { versionId, serialized }: NonNullable<Awaited<ReturnType<typeof currentDag>>>,
  logicalDate: Date,
): Promise<{ id: number } | null> {
  const { dagId, conf, reprocess } = backfill;
  const known = await findRunBy(client, dagId, { logicalDate });
  if (!known) {
    const interval = next(serialized.schedule, {
      startDate: serialized.startDate === null ? logicalDate : new Date(serialized.startDate),
      endDate: null,
      after: new Date(logicalDate.getTime() - 1),
    });
    const id = await insertDagRun(client, {
      dagId,
      runId: formatRunId('backfill', logicalDate),
      runType: 'backfill',
      logicalDate,
      dataInterval: interval?.dataInterval ?? { start: logicalDate, end: logicalDate },
      conf,
      versionId,
      deadlines: serialized.deadlines,
      backfillId: backfill.id,
      dedupeKey: null,
    });
    return id === null ? null : { id };
  }
  if (reprocess === 'none') return null;
  const isFinished = known.state === 'success' || known.state === 'failed';
  if (isFinished && reprocess === 'failed' && known.state !== 'failed') return null;
  // Cleared first: a crash in between finds the run unfinished, and only adopts it.
  if (isFinished) await clearTasks(store, { dagId, runId: known.runId, onlyFailed: reprocess === 'failed' });
  await adoptRun(client, known.id, backfill.id);
  return { id: known.id };
}
