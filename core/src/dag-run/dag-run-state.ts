import { InvalidTransitionError } from '../task-instance/invalid-transition-error.ts';

/** A finished run becomes `queued` again when its tasks are cleared; a user may mark it. */
const NEXT = {
  queued: ['running', 'success', 'failed'],
  running: ['success', 'failed', 'queued'],
  success: ['queued', 'failed'],
  failed: ['queued', 'success'],
} as const satisfies Record<string, readonly string[]>;

export type DagRunState = keyof typeof NEXT;

export const DAG_RUN_STATES = Object.keys(NEXT) as readonly DagRunState[];

/** What started a run; it begins the run's id. */
export type DagRunType = 'scheduled' | 'manual' | 'backfill' | 'signal';

export const DAG_RUN_TYPES: readonly DagRunType[] = ['scheduled', 'manual', 'backfill', 'signal'];

export function isDagRunFinished(state: DagRunState): boolean {
  return state === 'success' || state === 'failed';
}

export function canDagRunBecome(from: DagRunState, to: DagRunState): boolean {
  return (NEXT[from] as readonly string[]).includes(to);
}

export function assertDagRunTransition(from: DagRunState, to: DagRunState, subject = 'DAG run'): void {
  if (!canDagRunBecome(from, to)) throw new InvalidTransitionError(subject, from, to, NEXT[from]);
}

/** `scheduled__2026-01-01T00:00:00.000Z`: the public name of a run. */
export function formatRunId(type: DagRunType, logicalDate: Date): string {
  return `${type}__${logicalDate.toISOString()}`;
}
