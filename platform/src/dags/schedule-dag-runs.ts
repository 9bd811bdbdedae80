import { formatRunId } from '@windhover/core';
import type { Database } from '../store/database.ts';
import { insertDagRun, notifyRun } from '../store/new-dag-runs.ts';
import { type DueDag, lockDueDags, saveNextSchedule } from '../store/schedules.ts';
import { next } from '../timetables/next.ts';
import { nextDue } from '../timetables/next-due.ts';
import type { ScheduledRun } from '../timetables/scheduled-run.ts';
import type { DagVersion, DagVersions } from './dag-versions.ts';

export interface ScheduledDagRun {
  readonly dagId: string;
  readonly runId: string;
  readonly logicalDate: Date;
}

/** Creates the runs that schedules ask for by now: one for each DAG that is due. Call again while it answers some. */
export async function scheduleDagRuns(
  { database, versions }: { readonly database: Database; readonly versions: DagVersions },
  dagIds: readonly string[] | null = null,
): Promise<readonly ScheduledDagRun[]> {
  return database.transaction(async (client) => {
    const due = await lockDueDags(client, { dagIds, limit: 100 });
    await versions.load(
      client,
      due.map(({ versionId }) => versionId),
    );
    const made: ScheduledDagRun[] = [];
    for (const dag of due) {
      const version = versions.get(dag.versionId)!;
      const { run, following, lookAgainAt } = decideSchedule(dag, version);
      if (run) {
        const { logicalDate, dataInterval } = run;
        const runId = formatRunId('scheduled', logicalDate);
        const id = await insertDagRun(client, {
          dagId: dag.dagId,
          runId,
          runType: 'scheduled',
          logicalDate,
          dataInterval,
          conf: {},
          versionId: dag.versionId,
          deadlines: version.dag.deadlines,
          backfillId: null,
          dedupeKey: null,
        });
        // A backfill or a person may have had that date.
        if (id !== null) made.push({ dagId: dag.dagId, runId, logicalDate });
      }
      await saveNextSchedule(client, {
        dagId: dag.dagId,
        scheduledUntil: run?.logicalDate ?? dag.scheduledUntil,
        nextRunAt: lookAgainAt,
        nextLogicalDate: following?.logicalDate ?? null,
        nextIntervalEnd: following?.dataInterval.end ?? null,
      });
    }
    if (made.length > 0) await notifyRun(client);
    return made;
  });
}

function decideSchedule(
  { scheduledUntil: after, now }: DueDag,
  { dag }: DagVersion,
): { run: ScheduledRun | null; following: ScheduledRun | null; lookAgainAt: Date | null } {
  const range = { startDate: toDate(dag.startDate), endDate: toDate(dag.endDate) };
  // One that runs again and again is due as soon as its run is over; until then it has no place for another.
  const isContinuous = dag.schedule.type === 'continuous';
  const { run, lookAgainAt } = nextDue(dag.schedule, { ...range, catchup: dag.catchup, after, now });
  const following = isContinuous ? null : next(dag.schedule, { ...range, after: run?.logicalDate ?? after, now });
  return { run, following, lookAgainAt: isContinuous && run ? now : lookAgainAt };
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
