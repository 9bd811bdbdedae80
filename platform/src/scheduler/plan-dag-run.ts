import {
  countUpstream,
  evaluateTriggerRule,
  isTerminal,
  type SerializedTask,
  type TaskInstanceState,
} from '@windhover/core';
import type { DagVersion } from '../dags/dag-versions.ts';

/** What the owner of a run knows of one of its task instances. */
export interface PlannedTask {
  readonly state: TaskInstanceState;
  /** When a retry or a reschedule is due. */
  readonly resumeAt: Date | null;
}

/** What is to happen to a task of a run now. */
export interface PlannedChange {
  readonly taskId: string;
  readonly type: 'schedule' | 'skip' | 'upstreamFail';
}

export type RunOutcome = { readonly state: 'success' | 'failed'; readonly reason: string };

/** Facts beside the graph that can hold a task back. */
export interface PlanFacts {
  readonly now: Date;
  /** Tasks that wait for the run before (`dependsOnPast`, `waitForDownstream`). Default: none. */
  readonly isHeldByPast?: (task: SerializedTask) => boolean;
}

/**
 * What follows for some tasks of a run from the states of all. Pure. After a task has ended only the tasks directly
 * below it are asked, so the cost of a finished task does not grow with the DAG.
 */
export function planTasks(
  version: DagVersion,
  tasks: ReadonlyMap<string, PlannedTask>,
  candidates: Iterable<string>,
  facts: PlanFacts,
): PlannedChange[] {
  const changes: PlannedChange[] = [];
  for (const taskId of candidates) {
    const task = version.tasks.get(taskId);
    const instance = tasks.get(taskId);
    if (!task || !instance) continue;
    const type = planTask(task, instance, tasks, facts);
    if (type) changes.push({ taskId, type });
  }
  return changes;
}

/** The same for the whole run: what its owner does when it takes the run over. */
export function planDagRun(
  version: DagVersion,
  tasks: ReadonlyMap<string, PlannedTask>,
  facts: PlanFacts,
): PlannedChange[] {
  return planTasks(version, tasks, version.tasks.keys(), facts);
}

/** Whom to ask after these tasks have changed. */
export function affectedBy(version: DagVersion, changed: Iterable<string>): ReadonlySet<string> {
  const affected = new Set<string>();
  for (const taskId of changed) for (const next of version.downstream.get(taskId) ?? []) affected.add(next);
  return affected;
}

/**
 * How a run has ended, or null while something can still happen. The last tasks of the graph decide: a failure above
 * them that a trigger rule has mended does not fail the run.
 */
export function runOutcome(
  version: DagVersion,
  tasks: ReadonlyMap<string, PlannedTask>,
  facts: Pick<PlanFacts, 'isHeldByPast'> = {},
): RunOutcome | null {
  const unfinished = [...tasks].filter(([, { state }]) => !isTerminal(state));
  if (unfinished.some(([, { state }]) => state !== 'none')) return null;
  if (unfinished.length > 0) {
    // What waits for the run before is no deadlock: that one may still go on, or be cleared.
    const isHeld = ([taskId]: readonly [string, PlannedTask]) => facts.isHeldByPast?.(version.tasks.get(taskId)!);
    if (unfinished.some(isHeld)) return null;
    const names = unfinished.map(([taskId]) => taskId).slice(0, 5);
    return { state: 'failed', reason: `deadlock: ${names.join(', ')} can never run` };
  }
  const leaves = [...version.downstream].filter(([, below]) => below.length === 0).map(([taskId]) => taskId);
  const failed = leaves.filter((taskId) => ['failed', 'upstream_failed'].includes(tasks.get(taskId)?.state ?? ''));
  if (failed.length > 0) return { state: 'failed', reason: `failed: ${failed.slice(0, 5).join(', ')}` };
  return { state: 'success', reason: 'all tasks have ended' };
}

function planTask(
  task: SerializedTask,
  { state, resumeAt }: PlannedTask,
  tasks: ReadonlyMap<string, PlannedTask>,
  { now, isHeldByPast }: PlanFacts,
): PlannedChange['type'] | null {
  if (state === 'up_for_retry' || state === 'up_for_reschedule')
    return !resumeAt || resumeAt <= now ? 'schedule' : null;
  if (state !== 'none') return null;
  const upstream = task.upstreamTaskIds.map((taskId) => tasks.get(taskId)?.state ?? 'removed');
  const decision = evaluateTriggerRule(task.triggerRule, countUpstream(upstream));
  if (decision === 'skip') return 'skip';
  if (decision === 'upstream_failed') return 'upstreamFail';
  return decision === 'run' && !isHeldByPast?.(task) ? 'schedule' : null;
}
