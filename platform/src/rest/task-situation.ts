import type { SerializedDag, SerializedTask, TaskInstanceState } from '@windhover/core';
import { TaskNotFoundError } from '../dag-runs/task-not-found-error.ts';
import { getDag } from '../store/dags.ts';
import { getJob, getJobHealth, type JobHealth, type JobRow } from '../store/job-queries.ts';
import { getPool, type PoolUse } from '../store/pools.ts';
import { countRunningRuns, type DagRunRow } from '../store/run-queries.ts';
import {
  type AttemptRow,
  getLastAttempt,
  getTaskInstance,
  type LocatedTaskInstance,
  type TaskPlace,
} from '../store/task-queries.ts';
import {
  countActive,
  getPastTask,
  getTaskStatesOf,
  getTrigger,
  type PastTask,
  type TriggerRow,
} from '../store/task-waits.ts';
import type { ApiServices } from './api.ts';
import { dagRunOrThrow } from './find-or-throw.ts';

/** Everything that can be a reason for what a task does, or does not do. */
export interface TaskSituation {
  readonly run: DagRunRow;
  readonly dag: SerializedDag;
  readonly isDagPaused: boolean;
  readonly runningRuns: number;
  readonly task: SerializedTask;
  /** Null where the run has not begun, and has no tasks yet. */
  readonly instance: LocatedTaskInstance | null;
  readonly upstream: ReadonlyMap<string, TaskInstanceState>;
  /** Null where there was no run before, or the past does not matter. */
  readonly past: PastTask | null;
  readonly pool: PoolUse | null;
  readonly active: { readonly ofDag: number; readonly ofTask: number };
  /** Who queued it. */
  readonly job: JobRow | null;
  readonly jobs: readonly JobHealth[];
  readonly trigger: TriggerRow | null;
  readonly lastAttempt: AttemptRow | null;
}

export async function readTaskSituation(services: ApiServices, place: TaskPlace): Promise<TaskSituation> {
  const { database, versions } = services;
  const run = await dagRunOrThrow(database, place.dagId, place.runId);
  const { dag, tasks } = await versions.getOrLoad(database, run.versionId);
  const task = tasks.get(place.taskId);
  if (!task) throw new TaskNotFoundError(place.dagId, place.runId, place.taskId, [...tasks.keys()]);
  const instance = await getTaskInstance(database, place);
  const { dagId, taskId, mapIndex } = place;
  const [stored, runningRuns, upstream, past, pool, active, job, jobs, trigger, lastAttempt] = await Promise.all([
    getDag(database, dagId),
    countRunningRuns(database, dagId),
    getTaskStatesOf(database, run.id, task.upstreamTaskIds),
    task.dependsOnPast ? getPastTask(database, run.id, taskId, mapIndex) : null,
    getPool(database, task.pool),
    countActive(database, dagId, taskId),
    instance?.queuedByJob ? getJob(database, instance.queuedByJob) : null,
    getJobHealth(database),
    instance?.triggerId ? getTrigger(database, instance.triggerId) : null,
    instance ? getLastAttempt(database, instance.id) : null,
  ]);
  const isDagPaused = stored?.isPaused ?? false;
  return {
    run,
    dag,
    isDagPaused,
    runningRuns,
    task,
    instance,
    upstream,
    past,
    pool,
    active,
    job,
    jobs,
    trigger,
    lastAttempt,
  };
}
