import { InvalidTransitionError } from './invalid-transition-error.ts';

/**
 * The states of a task instance, each with the states that may follow. This table is the only one: every write of a
 * state, by whichever process, is checked against it.
 *
 * - `none` follows almost everything: a clear, a signal's START or RESTART begins a new attempt there.
 * - `success`, `failed` and `skipped` follow everything that is not finished or was finished otherwise: a user may mark.
 * - `deferred → queued` is a resume that goes straight to its executor; its `scheduled` signal is kept in the log.
 */
const NEXT = {
  none: ['scheduled', 'skipped', 'upstream_failed', 'success', 'failed', 'stopped', 'removed'],
  scheduled: [
    'queued',
    'deferred',
    'none',
    'skipped',
    'upstream_failed',
    'success',
    'failed',
    'up_for_retry',
    'stopped',
    'removed',
  ],
  queued: ['running', 'scheduled', 'none', 'skipped', 'success', 'failed', 'up_for_retry', 'stopped', 'removed'],
  running: [
    'success',
    'failed',
    'skipped',
    'deferred',
    'up_for_retry',
    'up_for_reschedule',
    'stopped',
    'none',
    'removed',
  ],
  deferred: ['scheduled', 'queued', 'success', 'failed', 'skipped', 'up_for_retry', 'stopped', 'none', 'removed'],
  up_for_retry: [
    'scheduled',
    'queued',
    'success',
    'failed',
    'skipped',
    'upstream_failed',
    'stopped',
    'none',
    'removed',
  ],
  up_for_reschedule: [
    'scheduled',
    'queued',
    'success',
    'failed',
    'skipped',
    'up_for_retry',
    'stopped',
    'none',
    'removed',
  ],
  success: ['none', 'failed', 'skipped'],
  failed: ['none', 'success', 'skipped'],
  skipped: ['none', 'success', 'failed'],
  upstream_failed: ['none', 'success', 'failed', 'skipped'],
  stopped: ['none', 'success', 'failed', 'skipped'],
  removed: ['none'],
} as const satisfies Record<string, readonly string[]>;

export type TaskInstanceState = keyof typeof NEXT;

export const TASK_INSTANCE_STATES = Object.keys(NEXT) as readonly TaskInstanceState[];

const TERMINAL: ReadonlySet<TaskInstanceState> = new Set([
  'success',
  'failed',
  'skipped',
  'upstream_failed',
  'stopped',
  'removed',
]);

/** A terminal state ends the attempt: nothing happens any more unless a user or a signal starts it again. */
export function isTerminal(state: TaskInstanceState): boolean {
  return TERMINAL.has(state);
}

export function canBecome(from: TaskInstanceState, to: TaskInstanceState): boolean {
  // A row of a newer version may have a state that is unknown here; nothing follows it.
  return (NEXT[from] as readonly string[] | undefined)?.includes(to) ?? false;
}

/** The states from which `to` can be reached: what a compare-and-set on the state has to expect. */
export function statesBefore(to: TaskInstanceState): readonly TaskInstanceState[] {
  return TASK_INSTANCE_STATES.filter((from) => canBecome(from, to));
}

export function assertTransition(from: TaskInstanceState, to: TaskInstanceState, subject = 'task instance'): void {
  if (!canBecome(from, to)) throw new InvalidTransitionError(subject, from, to, NEXT[from] ?? []);
}
