import type { TaskInstanceState } from './task-instance-state.ts';

/**
 * When a task may run, judged by its direct upstream tasks: the thirteen rules of Airflow. `all_done_setup_success`
 * acts as `all_done` until there are setup tasks.
 */
export type TriggerRule = keyof typeof RULES;

/** How many direct upstream tasks are in which end state. Counts, not lists: one event changes one number. */
export interface UpstreamCounts {
  readonly total: number;
  readonly success: number;
  readonly failed: number;
  /** `skipped` and `stopped` together, because `stopped` propagates like `skipped`. */
  readonly skipped: number;
  readonly upstreamFailed: number;
  readonly removed: number;
}

/** `wait`: not decided yet. `run`: now. `skip` and `upstream_failed`: never in this attempt, and why. */
export type TriggerRuleDecision = 'wait' | 'run' | 'skip' | 'upstream_failed';

export function evaluateTriggerRule(rule: TriggerRule, upstream: UpstreamCounts): TriggerRuleDecision {
  // A removed task is one the DAG no longer has: it neither helps nor hinders.
  const total = upstream.total - upstream.removed;
  if (total === 0) return 'run';
  const { success, skipped } = upstream;
  const failed = upstream.failed + upstream.upstreamFailed;
  const done = success + skipped + failed;
  return RULES[rule]({ total, success, failed, ownFailed: upstream.failed, skipped, done, isDone: done >= total });
}

/** Counts the end states of upstream tasks; everything that is not terminal counts only in `total`. */
export function countUpstream(states: Iterable<TaskInstanceState>): UpstreamCounts {
  const counts = { total: 0, success: 0, failed: 0, skipped: 0, upstreamFailed: 0, removed: 0 };
  for (const state of states) {
    counts.total += 1;
    const field = COUNTED[state];
    if (field) counts[field] += 1;
  }
  return counts;
}

interface Counts {
  readonly total: number;
  readonly success: number;
  /** Includes upstream_failed. */
  readonly failed: number;
  readonly ownFailed: number;
  readonly skipped: number;
  readonly done: number;
  readonly isDone: boolean;
}

/**
 * Each rule decides as early as it can: one failure settles `all_success` while others still run. As in Airflow, a task
 * that was skipped so stays skipped even if another upstream task fails later.
 */
const RULES = {
  all_success: (c: Counts) =>
    c.failed ? 'upstream_failed' : c.skipped ? 'skip' : c.success >= c.total ? 'run' : 'wait',
  all_failed: (c: Counts) => (c.success || c.skipped ? 'skip' : c.failed >= c.total ? 'run' : 'wait'),
  all_done: (c: Counts) => (c.isDone ? 'run' : 'wait'),
  all_done_min_one_success: (c: Counts) =>
    !c.isDone ? 'wait' : c.success ? 'run' : c.failed ? 'upstream_failed' : 'skip',
  all_done_setup_success: (c: Counts) => (c.isDone ? 'run' : 'wait'),
  one_success: (c: Counts) => (c.success ? 'run' : !c.isDone ? 'wait' : c.failed ? 'upstream_failed' : 'skip'),
  one_failed: (c: Counts) => (c.failed ? 'run' : c.isDone ? 'skip' : 'wait'),
  one_done: (c: Counts) => (c.success || c.ownFailed ? 'run' : c.isDone ? 'skip' : 'wait'),
  none_failed: (c: Counts) => (c.failed ? 'upstream_failed' : c.isDone ? 'run' : 'wait'),
  none_failed_min_one_success: (c: Counts) =>
    c.failed ? 'upstream_failed' : !c.isDone ? 'wait' : c.success ? 'run' : 'skip',
  none_skipped: (c: Counts) => (c.skipped ? 'skip' : c.isDone ? 'run' : 'wait'),
  all_skipped: (c: Counts) => (c.success || c.failed ? 'skip' : c.skipped >= c.total ? 'run' : 'wait'),
  always: () => 'run',
} as const satisfies Record<string, (counts: Counts) => TriggerRuleDecision>;

export const TRIGGER_RULES = Object.keys(RULES) as readonly TriggerRule[];

const COUNTED: Partial<Record<TaskInstanceState, 'success' | 'failed' | 'skipped' | 'upstreamFailed' | 'removed'>> = {
  success: 'success',
  failed: 'failed',
  skipped: 'skipped',
  stopped: 'skipped',
  upstream_failed: 'upstreamFailed',
  removed: 'removed',
};
