import type { Json } from '../json.ts';
import type { ResolvedOptions } from '../operator/operator-options.ts';
import type { SerializedTrigger } from '../operator/serialized-deferral.ts';
import type { SerializedSignalRule } from '../signal/signal-rule.ts';
import type { Param } from './params.ts';
import type { Schedule } from './schedule.ts';

/** A DAG as the platform keeps it: structure and settings, never code. `serializedDagSchema` is its JSON Schema. */
export interface SerializedDag {
  readonly formatVersion: 1;
  readonly dagId: string;
  readonly schedule: Schedule;
  /** ISO 8601, like all instants here. */
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly catchup: boolean;
  readonly maxActiveRuns: number;
  readonly maxActiveTasks: number;
  readonly dagRunTimeoutMs: number | null;
  readonly maxConsecutiveFailedRuns: number;
  readonly failFast: boolean;
  readonly isPausedUponCreation: boolean;
  readonly params: Readonly<Record<string, Param>>;
  readonly startOn: readonly SerializedSignalRule[];
  readonly deadlines: readonly SerializedDeadline[];
  readonly callbacks: readonly ('onFailure' | 'onSuccess')[];
  readonly tags: readonly string[];
  readonly description: string | null;
  readonly doc: string | null;
  readonly owner: string | null;
  /** In topological order. */
  readonly tasks: readonly SerializedTask[];
  readonly taskGroups: readonly SerializedTaskGroup[];
  readonly watchers: readonly SerializedWatcher[];
}

export interface SerializedTask extends ResolvedOptions {
  readonly taskId: string;
  /** The class, for people. */
  readonly operatorName: string;
  readonly taskGroupId: string | null;
  readonly upstreamTaskIds: readonly string[];
  readonly callbacks: readonly ('onFailure' | 'onSuccess' | 'onRetry')[];
  readonly signals: readonly { readonly key: string; readonly namespace: string }[];
  readonly signalRules: readonly SerializedSignalRule[];
  /** True where `onSignal` is overridden and the worker side must decide. */
  readonly hasSignalCode: boolean;
  /** Null where it is no sensor. */
  readonly sensor: {
    readonly timeoutMs: number;
    readonly softFail: boolean;
    readonly mode: 'defer' | 'poke' | 'reschedule';
  } | null;
}

export interface SerializedTaskGroup {
  readonly groupId: string;
  readonly parentGroupId: string | null;
}

export interface SerializedWatcher {
  /** Names it within its DAG, so that it keeps its checkpoint when the DAG is parsed again. */
  readonly signal: string;
  readonly namespace: string;
  readonly queue: string;
  readonly trigger: SerializedTrigger;
}

export interface SerializedDeadline {
  readonly reference: 'logicalDate' | 'queuedAt' | 'startedAt' | { readonly at: string };
  readonly intervalMs: number;
}

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = { readonly [key: string]: Json };
