import { type Json, resolveParams, type SerializedDag } from '@windhover/core';
import { DagNotFoundError } from '../dag-runs/dag-not-found-error.ts';
import { type Reprocess, runsOfDates } from '../store/backfills.ts';
import type { Queryable } from '../store/database.ts';
import { currentDag } from '../store/new-dag-runs.ts';
import { dateRange } from '../timetables/date-range.ts';
import { BackfillError } from './backfill-error.ts';

export interface BackfillRequest {
  readonly dagId: string;
  /** Logical dates from this one on. */
  readonly from: Date;
  /** The last logical date, if it is one. */
  readonly to: Date;
  /** The latest date first. Default: false. */
  readonly isReverse?: boolean;
  /** What becomes of dates that have a run. Default: `none`, they are left alone. */
  readonly reprocess?: Reprocess;
  /** How many of its runs run at once. Default: 10. */
  readonly maxActiveRuns?: number;
  /** Default: {}. */
  readonly conf?: Readonly<Record<string, Json>>;
}

export interface PlannedBackfillRun {
  readonly logicalDate: Date;
  readonly action: 'create' | 'rerun' | 'skip';
  /** The run that has the date already. Default: none. */
  readonly runId?: string;
}

/** What a backfill would do, date by date, in its order. */
export async function planBackfill(
  client: Queryable,
  request: BackfillRequest,
): Promise<readonly PlannedBackfillRun[]> {
  const { dagId, from, to, reprocess = 'none', conf = {} } = request;
  const dag = await currentDag(client, dagId);
  if (!dag) throw new DagNotFoundError(dagId);
  check(dag.serialized, request);
  resolveParams(dagId, dag.serialized.params, conf);
  const dates = backfillDates(dag.serialized, request);
  if (dates.length === 0) {
    const range = `${from.toISOString()} to ${to.toISOString()}`;
    throw new BackfillError(dagId, `its schedule has no date from ${range}, or the DAG starts later.`);
  }
  const known = await runsOfDates(client, dagId, dates);
  return dates.map((logicalDate) => {
    const run = known.get(logicalDate.getTime());
    if (!run) return { logicalDate, action: 'create' };
    const isAgain = reprocess === 'all' || (reprocess === 'failed' && run.state === 'failed');
    return { logicalDate, action: isAgain ? 'rerun' : 'skip', runId: run.runId };
  });
}

/** The same for the same request, so that a position in it can be stored. */
export function backfillDates(
  dag: SerializedDag,
  { from, to, isReverse }: Pick<BackfillRequest, 'from' | 'to' | 'isReverse'>,
): readonly Date[] {
  const startDate = dag.startDate === null ? from : new Date(dag.startDate);
  const dates = dateRange(dag.schedule, from, to, startDate);
  return isReverse ? dates.reverse() : dates;
}

function check(dag: SerializedDag, { dagId, from, to, isReverse, maxActiveRuns = 10 }: BackfillRequest): void {
  if (to < from) throw new BackfillError(dagId, `the range ends (${to.toISOString()}) before it begins.`);
  if (!Number.isInteger(maxActiveRuns) || maxActiveRuns < 1)
    throw new BackfillError(dagId, `maxActiveRuns ${maxActiveRuns} is not a whole number of at least 1.`);
  if (dag.schedule.type === 'none' || dag.schedule.type === 'continuous')
    throw new BackfillError(dagId, 'it has no schedule that dates follow from. Start single runs with a date instead.');
  const held = dag.tasks.find(({ dependsOnPast }) => dependsOnPast);
  if (isReverse && held)
    throw new BackfillError(dagId, `task "${held.taskId}" depends on the past, so the latest date cannot go first.`);
}
