import { type DagRunType, formatRunId, type Json, resolveParams } from '@windhover/core';
import type { Database } from '../store/database.ts';
import { currentDag, findRunBy, insertDagRun, notifyRun } from '../store/new-dag-runs.ts';
import { DagNotFoundError } from './dag-not-found-error.ts';
import { DagRunExistsError } from './dag-run-exists-error.ts';

export interface NewDagRun {
  readonly dagId: string;
  readonly runType: DagRunType;
  /** Default: {}. */
  readonly conf?: Readonly<Record<string, Json>>;
  /** Default: the database's clock; a millisecond later where that is taken. */
  readonly logicalDate?: Date;
  /** Default: the logical date itself. */
  readonly dataInterval?: { readonly start: Date; readonly end: Date };
  /** The same key answers the run that has it. Default: none. */
  readonly dedupeKey?: string;
}

export interface CreatedDagRun {
  readonly id: number;
  readonly dagId: string;
  readonly runId: string;
  readonly logicalDate: Date;
}

/** Creates a run; some job executes it. Any process may do this, at any time. */
export async function createDagRun(database: Database, run: NewDagRun): Promise<CreatedDagRun> {
  const { dagId, runType, conf = {}, dedupeKey } = run;
  return database.transaction(async (client) => {
    const dag = await currentDag(client, dagId);
    if (!dag) throw new DagNotFoundError(dagId);
    resolveParams(dagId, dag.serialized.params, conf);
    const known = dedupeKey === undefined ? null : await findRunBy(client, dagId, { dedupeKey });
    if (known) return known;
    for (let logicalDate = run.logicalDate ?? dag.now; ; logicalDate = new Date(logicalDate.getTime() + 1)) {
      const runId = formatRunId(runType, logicalDate);
      const id = await insertDagRun(client, {
        dagId,
        runId,
        runType,
        logicalDate,
        dataInterval: run.dataInterval ?? { start: logicalDate, end: logicalDate },
        conf,
        versionId: dag.versionId,
        deadlines: dag.serialized.deadlines,
        backfillId: null,
        dedupeKey: dedupeKey ?? null,
      });
      if (id !== null) {
        await notifyRun(client);
        return { id, dagId, runId, logicalDate };
      }
      if (run.logicalDate) {
        const taken = await findRunBy(client, dagId, { logicalDate });
        throw new DagRunExistsError(dagId, taken!.runId, logicalDate);
      }
    }
  });
}
