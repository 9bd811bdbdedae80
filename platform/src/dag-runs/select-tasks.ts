import { isTerminal, type TaskInstanceState } from '@windhover/core';
import type { DagVersion, DagVersions } from '../dags/dag-versions.ts';
import { findRun, type StoredRun } from '../store/dag-runs.ts';
import type { Database } from '../store/database.ts';
import { getTaskStates } from '../store/task-instances.ts';
import type { ChangeWriter } from '../task-instances/change-writer.ts';
import { DagRunNotFoundError } from './dag-run-not-found-error.ts';
import { TaskNotFoundError } from './task-not-found-error.ts';

/** What the actions of users need. */
export interface ActionStore {
  readonly database: Database;
  readonly writer: ChangeWriter;
  readonly versions: DagVersions;
}

/** Tasks of one run. */
export interface TaskSelection {
  readonly dagId: string;
  readonly runId: string;
  /** Default: all. */
  readonly taskIds?: readonly string[];
  /** With all tasks above them. Default: false. */
  readonly upstream?: boolean;
  /** With all tasks below them. Default: false. */
  readonly downstream?: boolean;
  /** Only those that failed, or could not run because of a failure. Default: false. */
  readonly onlyFailed?: boolean;
}

export interface SelectedTask {
  readonly id: number;
  readonly taskId: string;
  readonly state: TaskInstanceState;
}

/**
 * Tasks in the order of their edges, upstream first: a task that is cleared before the one above it would find that one
 * finished, and start.
 */
export async function selectTasks(
  { database, versions }: ActionStore,
  selection: TaskSelection,
): Promise<{ readonly run: StoredRun; readonly tasks: readonly SelectedTask[] }> {
  const run = await findRun(database, selection.dagId, selection.runId);
  if (!run) throw new DagRunNotFoundError(selection.dagId, selection.runId);
  const version = await versions.getOrLoad(database, run.versionId);
  const wanted = wantedTasks(version, selection);
  const rows = await getTaskStates(database, run.id);
  const order = new Map([...version.tasks.keys()].map((taskId, index) => [taskId, index]));
  const tasks = rows
    .filter(({ taskId, state }) => wanted.has(taskId) && (!selection.onlyFailed || hasFailed(state)))
    .sort((a, b) => (order.get(a.taskId) ?? 0) - (order.get(b.taskId) ?? 0));
  return { run, tasks };
}

/** Ids of those that have not ended. */
export function unfinished(tasks: readonly SelectedTask[]): readonly SelectedTask[] {
  return tasks.filter(({ state }) => !isTerminal(state));
}

function wantedTasks(version: DagVersion, selection: TaskSelection): ReadonlySet<string> {
  const { dagId, runId, taskIds, upstream, downstream } = selection;
  if (!taskIds) return new Set(version.tasks.keys());
  const unknown = taskIds.find((taskId) => !version.tasks.has(taskId));
  if (unknown !== undefined) throw new TaskNotFoundError(dagId, runId, unknown, [...version.tasks.keys()]);
  const reach = (next: (taskId: string) => readonly string[]) => {
    const reached = new Set(taskIds);
    // The set grows while it is read.
    for (const taskId of reached) for (const other of next(taskId)) reached.add(other);
    return reached;
  };
  return new Set([
    ...taskIds,
    ...(upstream ? reach((taskId) => version.tasks.get(taskId)?.upstreamTaskIds ?? []) : []),
    ...(downstream ? reach((taskId) => version.downstream.get(taskId) ?? []) : []),
  ]);
}

function hasFailed(state: TaskInstanceState): boolean {
  return state === 'failed' || state === 'upstream_failed';
}
