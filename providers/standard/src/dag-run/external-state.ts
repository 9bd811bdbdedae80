import {
  type DagRunState,
  type RunStates,
  type RunStatesQuery,
  type TaskInstanceState,
  TaskSkipped,
} from '@windhover/core';
import { ExternalTaskFailedError } from './external-task-failed-error.ts';

/** What an `ExternalTaskSensor` looks at, as data. */
export interface ExternalStateQuery {
  readonly dagId: string;
  /** Of the runs that are looked at; all of them must be there. */
  readonly logicalDates: readonly Date[];
  /** Default: none, the states of the runs themselves count. */
  readonly taskIds?: readonly string[];
  /** All tasks of this group. Default: none. */
  readonly taskGroupId?: string;
  readonly allowedStates: readonly ExternalState[];
  readonly skippedStates: readonly ExternalState[];
  readonly failedStates: readonly ExternalState[];
}

/** The state of a task, or of a run. */
export type ExternalState = TaskInstanceState | DagRunState;

/** Looks once: true when all is as it is waited for, undefined when not yet. Throws when it never will be. */
export async function checkExternalState(
  query: ExternalStateQuery,
  source: { runStates(query: RunStatesQuery): Promise<readonly RunStates[]> },
): Promise<true | undefined> {
  const { dagId, logicalDates, taskIds, taskGroupId } = query;
  const runs = await source.runStates({
    dagId,
    logicalDates,
    ...(taskIds ? { taskIds } : {}),
    ...(taskGroupId === undefined ? {} : { taskGroupId }),
  });
  const found = logicalDates.map((date) =>
    statesOf(
      query,
      runs.find(({ logicalDate }) => +logicalDate === +date),
    ),
  );
  const seen = found.flatMap((states) => [...states]);
  const failed = seen.find(([, state]) => query.failedStates.includes(state!));
  if (failed) throw new ExternalTaskFailedError(dagId, failed[0], failed[1]!);
  const skipped = seen.find(([, state]) => query.skippedStates.includes(state!));
  if (skipped) throw new TaskSkipped(`What is waited for, ${skipped[0]} of DAG "${dagId}", is ${skipped[1]}.`);
  const isDone = found.every(
    (states) => states.size > 0 && [...states.values()].every((state) => query.allowedStates.includes(state!)),
  );
  return isDone ? true : undefined;
}

/** By what is looked at, for messages; undefined where it does not exist yet. */
function statesOf(query: ExternalStateQuery, run: RunStates | undefined): Map<string, ExternalState | undefined> {
  if (query.taskIds) return new Map(query.taskIds.map((taskId) => [`task "${taskId}"`, run?.tasks[taskId]]));
  if (query.taskGroupId !== undefined) {
    return new Map(Object.entries(run?.tasks ?? {}).map(([taskId, state]) => [`task "${taskId}"`, state]));
  }
  return run ? new Map([[`run "${run.runId}"`, run.state]]) : new Map();
}
