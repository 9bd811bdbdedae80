import type { ActionStore } from '../dag-runs/select-tasks.ts';
import {
  type Backfill,
  getBackfill,
  insertBackfill,
  setBackfillCancelled,
  setBackfillPaused,
} from '../store/backfills.ts';
import type { Database, Queryable } from '../store/database.ts';
import { notifyRun } from '../store/new-dag-runs.ts';
import { BackfillError } from './backfill-error.ts';
import { BackfillNotFoundError } from './backfill-not-found-error.ts';
import { type BackfillRequest, planBackfill } from './plan-backfill.ts';

/** Schedulers then make its runs one after the other, as many as it may have at once. */
export async function createBackfill(
  { database }: Pick<ActionStore, 'database'>,
  request: BackfillRequest,
): Promise<{ readonly id: number }> {
  return database.transaction(async (client) => {
    const planned = await planBackfill(client, request);
    const totalRuns = planned.filter(({ action }) => action !== 'skip').length;
    if (totalRuns === 0)
      throw new BackfillError(request.dagId, 'every date has a run already. Ask for failed or for all of them again.');
    const { isReverse = false, reprocess = 'none', maxActiveRuns = 10, conf = {} } = request;
    const id = await insertBackfill(client, { ...request, isReverse, reprocess, maxActiveRuns, conf, totalRuns });
    await notifyRun(client);
    return { id };
  });
}

export async function getBackfillOrThrow(client: Queryable, id: number): Promise<Backfill> {
  const backfill = await getBackfill(client, id);
  if (!backfill) throw new BackfillNotFoundError(id);
  return backfill;
}

/** No further run of it begins until it is resumed; what has begun goes on. */
export async function pauseBackfill(store: Pick<ActionStore, 'database'>, id: number): Promise<Backfill> {
  return change(store.database, id, (client) => setBackfillPaused(client, id, true));
}

export async function resumeBackfill(store: Pick<ActionStore, 'database'>, id: number): Promise<Backfill> {
  return change(store.database, id, (client) => setBackfillPaused(client, id, false));
}

export async function cancelBackfill(store: Pick<ActionStore, 'database'>, id: number): Promise<Backfill> {
  return change(store.database, id, (client) => setBackfillCancelled(client, id));
}

async function change(
  database: Database,
  id: number,
  write: (client: Queryable) => Promise<boolean>,
): Promise<Backfill> {
  return database.transaction(async (client) => {
    const isChanged = await write(client);
    const backfill = await getBackfillOrThrow(client, id);
    if (!isChanged) throw new BackfillError(backfill.dagId, `backfill ${id} is over already.`);
    await notifyRun(client);
    return backfill;
  });
}
