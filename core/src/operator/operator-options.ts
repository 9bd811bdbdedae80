import type { RunContext, TriggerContext } from '../context/context.ts';
import { checkCron } from '../dag/schedule.ts';
import type { DagRunState } from '../dag-run/dag-run-state.ts';
import { type Duration, durationMs } from '../duration.ts';
import type { Json } from '../json.ts';
import type { TaskInstanceState } from '../task-instance/task-instance-state.ts';
import { TRIGGER_RULES, type TriggerRule } from '../task-instance/trigger-rule.ts';
import { type SerializedError, WindhoverError } from '../windhover-error.ts';
import { InvalidOptionError } from './invalid-option-error.ts';

/** What every operator takes beside its own arguments. */
export interface OperatorOptions {
  /** Unique in its DAG: letters, digits, `_`, `-` and `.`. */
  readonly taskId: string;
  /** How many failures are forgiven. Default: 0. */
  readonly retries?: number;
  /** Default: 5 minutes. */
  readonly retryDelay?: Duration;
  /** Doubles the delay with each try. Default: false. */
  readonly retryExponentialBackoff?: boolean;
  /** Default: 24 hours. */
  readonly maxRetryDelay?: Duration;
  /** For one try as a whole, with all its waits. Default: none. */
  readonly executionTimeout?: Duration;
  /** Default: `all_success`. */
  readonly triggerRule?: TriggerRule;
  /** Default: `default_pool`. */
  readonly pool?: string;
  /** Default: 1. */
  readonly poolSlots?: number;
  /** Default: 1. */
  readonly priorityWeight?: number;
  /** Which weights add up to this task's: its own, or those below or above it too. Default: `downstream`. */
  readonly weightRule?: WeightRule;
  /** For executors and triggerers that serve several. Default: `default`. */
  readonly queue?: string;
  /** Alias of an executor in the configuration. Default: the first one there. */
  readonly executor?: string;
  /** For the executor, such as `{ podOverride: … }`. Default: {}. */
  readonly executorConfig?: Readonly<Record<string, Json>>;
  /** Runs only if this task succeeded in the run before. Default: false. */
  readonly dependsOnPast?: boolean;
  /** Also waits for the tasks directly below it in the run before. Default: false. */
  readonly waitForDownstream?: boolean;
  /** How many instances of this task may be active in all runs together. Default: no limit. */
  readonly maxActivePerDag?: number;
  /** Begins in the triggerer, without a worker, at `startTrigger`. Default: false. */
  readonly startFromTrigger?: boolean;
  /** Runs without end and keeps its run alive. Default: false. */
  readonly streaming?: boolean;
  /** Starts this task again and again within its run. Default: never. */
  readonly every?: { readonly cron: string; readonly timezone?: string } | { readonly interval: Duration };
  /** Called on the worker side after the final failure. Default: nothing. */
  readonly onFailure?: TaskCallback;
  readonly onSuccess?: TaskCallback;
  /** Called after a failure that will be retried. */
  readonly onRetry?: TaskCallback;
  /** For people; Markdown. Default: none. */
  readonly doc?: string;
}

export type WeightRule = 'absolute' | 'downstream' | 'upstream';

/** Runs at least once for its transition, as a workload of its own. */
export type TaskCallback = (context: CallbackContext) => void | Promise<void>;

export interface CallbackContext extends TriggerContext {
  readonly state: TaskInstanceState;
  /** Default: none, for a success. */
  readonly error?: SerializedError;
}

/** The same for a run: its end, or a deadline it has not kept. */
export type DagCallback = (context: DagCallbackContext) => void | Promise<void>;

export interface DagCallbackContext extends RunContext {
  readonly state: DagRunState;
  /** Why it failed. Default: none. */
  readonly reason?: string;
}

/** The options with their defaults, durations in milliseconds: what a task is stored as. */
export interface ResolvedOptions {
  readonly retries: number;
  readonly retryDelayMs: number;
  readonly retryExponentialBackoff: boolean;
  readonly maxRetryDelayMs: number;
  readonly executionTimeoutMs: number | null;
  readonly triggerRule: TriggerRule;
  readonly pool: string;
  readonly poolSlots: number;
  readonly priorityWeight: number;
  readonly weightRule: WeightRule;
  readonly queue: string;
  readonly executor: string | null;
  readonly executorConfig: Readonly<Record<string, Json>>;
  readonly dependsOnPast: boolean;
  readonly waitForDownstream: boolean;
  readonly maxActivePerDag: number | null;
  readonly startFromTrigger: boolean;
  readonly streaming: boolean;
  readonly every: { readonly cron: string; readonly timezone: string } | { readonly intervalMs: number } | null;
  readonly doc: string | null;
}

/** Fills in defaults and checks what the compiler cannot: DAG files may be JavaScript. */
export function resolveOptions(subject: string, options: Partial<OperatorOptions>): ResolvedOptions {
  const check = checkerFor(subject);
  return {
    retries: check.count('retries', options.retries, 0),
    retryDelayMs: check.duration('retryDelay', options.retryDelay) ?? 300_000,
    retryExponentialBackoff: options.retryExponentialBackoff ?? false,
    maxRetryDelayMs: check.duration('maxRetryDelay', options.maxRetryDelay) ?? 86_400_000,
    executionTimeoutMs: check.duration('executionTimeout', options.executionTimeout) ?? null,
    triggerRule: check.oneOf('triggerRule', options.triggerRule, TRIGGER_RULES) ?? 'all_success',
    pool: options.pool ?? 'default_pool',
    poolSlots: check.count('poolSlots', options.poolSlots, 1),
    priorityWeight: options.priorityWeight ?? 1,
    weightRule: check.oneOf('weightRule', options.weightRule, ['absolute', 'downstream', 'upstream']) ?? 'downstream',
    queue: options.queue ?? 'default',
    executor: options.executor ?? null,
    executorConfig: options.executorConfig ?? {},
    dependsOnPast: options.dependsOnPast ?? options.waitForDownstream ?? false,
    waitForDownstream: options.waitForDownstream ?? false,
    maxActivePerDag:
      options.maxActivePerDag === undefined ? null : check.count('maxActivePerDag', options.maxActivePerDag, 1),
    startFromTrigger: options.startFromTrigger ?? false,
    streaming: options.streaming ?? false,
    every: resolveEvery(options.every, check),
    doc: options.doc ?? null,
  };
}

/** Everything in an operator's options that is not one of these is an argument of the operator itself. */
export const OPERATOR_OPTION_NAMES: ReadonlySet<string> = new Set(
  Object.keys({
    taskId: 0,
    retries: 0,
    retryDelay: 0,
    retryExponentialBackoff: 0,
    maxRetryDelay: 0,
    executionTimeout: 0,
    triggerRule: 0,
    pool: 0,
    poolSlots: 0,
    priorityWeight: 0,
    weightRule: 0,
    queue: 0,
    executor: 0,
    executorConfig: 0,
    dependsOnPast: 0,
    waitForDownstream: 0,
    maxActivePerDag: 0,
    startFromTrigger: 0,
    streaming: 0,
    every: 0,
    onFailure: 0,
    onSuccess: 0,
    onRetry: 0,
    doc: 0,
  } satisfies Record<keyof OperatorOptions, 0>),
);

function resolveEvery(every: OperatorOptions['every'], check: ReturnType<typeof checkerFor>): ResolvedOptions['every'] {
  if (!every) return null;
  if ('interval' in every) {
    const intervalMs = check.duration('every', every.interval)!;
    if (intervalMs < 1) throw new InvalidOptionError(check.subject, 'every', 'an interval must be longer than nothing');
    return { intervalMs };
  }
  const fail = (reason: string) => new InvalidOptionError(check.subject, 'every', reason);
  const { expression, timezone } = checkCron(every.cron, every.timezone ?? 'UTC', fail);
  return { cron: expression, timezone };
}

function checkerFor(subject: string) {
  return {
    subject,
    count(option: string, value: number | undefined, fallback: number): number {
      const count = value ?? fallback;
      if (!Number.isInteger(count) || count < fallback) {
        throw new InvalidOptionError(
          subject,
          option,
          `${JSON.stringify(value)} is not a whole number of at least ${fallback}`,
        );
      }
      return count;
    },
    duration(option: string, value: Duration | undefined): number | undefined {
      if (value === undefined) return undefined;
      try {
        return durationMs(value);
      } catch (error) {
        throw new InvalidOptionError(
          subject,
          option,
          WindhoverError.isWindhoverError(error) ? error.message.replace(/\.$/, '') : String(error),
        );
      }
    },
    oneOf<T extends string>(option: string, value: T | undefined, allowed: readonly T[]): T | undefined {
      if (value === undefined || allowed.includes(value)) return value;
      throw new InvalidOptionError(subject, option, `${JSON.stringify(value)} is none of ${allowed.join(', ')}`);
    },
  };
}
