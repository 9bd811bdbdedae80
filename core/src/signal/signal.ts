import type { Json } from '../json.ts';
import type { TaskInstanceKey } from '../task-instance/task-instance-key.ts';

/** Something that happened. */
export interface Signal<Key extends string = string, Value extends Json = Json> {
  readonly key: Key;
  readonly value: Value;
}

/** A signal as the platform's log keeps it. */
export interface SignalVersion<Key extends string = string, Value extends Json = Json> extends Signal<Key, Value> {
  /** The epoch of its key: 1 for the first, +1 for each accepted one. Rules consume by it, never by a clock. */
  readonly version: number;
  /** Its place among all signals, for cursors; a text, because it may exceed what a number holds. */
  readonly offset: string;
  readonly namespace: string;
  readonly sender: string;
  readonly scope: SignalScope;
  /** ISO 8601, by the database's clock; for people, not for decisions. */
  readonly sentAt: string;
  /** Default: none. */
  readonly dedupeKey?: string;
}

/** Whom a signal concerns. Nothing given: everybody in the namespace (a broadcast). */
export interface SignalScope {
  readonly dagId?: string;
  readonly runId?: string;
}

export interface SendSignalOptions {
  /** Default: `default`. */
  readonly namespace?: string;
  /** Default: from a task its own run, otherwise a broadcast. */
  readonly scope?: SignalScope;
  /** A second signal with the same key in the same namespace is answered with the first. Default: none. */
  readonly dedupeKey?: string;
}

export const DEFAULT_NAMESPACE = 'default';

/** The system signal of a task's state changes: its value is `{ from, to, try, attempt }`. */
export function taskStateSignalKey({ dagId, runId, taskId, mapIndex }: TaskInstanceKey): string {
  return `task_state/${dagId}/${runId}/${taskId}${mapIndex >= 0 ? `[${mapIndex}]` : ''}`;
}
