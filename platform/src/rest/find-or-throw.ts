import { DagRunNotFoundError } from '../dag-runs/dag-run-not-found-error.ts';
import { TaskNotFoundError } from '../dag-runs/task-not-found-error.ts';
import type { Queryable } from '../store/database.ts';
import { type DagRunRow, getDagRun } from '../store/run-queries.ts';
import { getTaskInstance, type LocatedTaskInstance, type TaskPlace } from '../store/task-queries.ts';
import type { ApiServices } from './api.ts';

export async function dagRunOrThrow(client: Queryable, dagId: string, runId: string): Promise<DagRunRow> {
  const run = await getDagRun(client, dagId, runId);
  if (!run) throw new DagRunNotFoundError(dagId, runId);
  return run;
}

/** Says whether it is the run that is missing, or the task. */
export async function taskOrThrow(
  { database, versions }: Pick<ApiServices, 'database' | 'versions'>,
  place: TaskPlace,
): Promise<LocatedTaskInstance> {
  const row = await getTaskInstance(database, place);
  if (row) return row;
  const { versionId } = await dagRunOrThrow(database, place.dagId, place.runId);
  const { tasks } = await versions.getOrLoad(database, versionId);
  throw new TaskNotFoundError(place.dagId, place.runId, place.taskId, [...tasks.keys()]);
}
