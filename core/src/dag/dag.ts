import { brandPrototype, hasBrand } from '../brand.ts';
import type { Duration } from '../duration.ts';
import { durationMs } from '../duration.ts';
import type { BaseOperator } from '../operator/base-operator.ts';
import { InvalidOptionError } from '../operator/invalid-option-error.ts';
import type { DagCallback, OperatorOptions } from '../operator/operator-options.ts';
import type { SignalRule } from '../signal/signal-rule.ts';
import { DagCycleError } from './dag-cycle-error.ts';
import { DagDefinitionError } from './dag-definition-error.ts';
import { currentScope, type DagScope, refuseAsync, rememberDag, type TaskOwner, within } from './dag-stack.ts';
import { DuplicateTaskIdError } from './duplicate-task-id-error.ts';
import { assertId } from './invalid-id-error.ts';
import { normalizeParams, type Param, type ParamOutputs, type ParamsInput, paramOutputs } from './params.ts';
import { resolveSchedule, type Schedule, type ScheduleInput } from './schedule.ts';
import type { TaskGroup } from './task-group.ts';
import type { Watcher } from './watch.ts';

export interface DagOptions<Params extends ParamsInput = ParamsInput> {
  /** Default: null, started by hand, by a signal or by another DAG. */
  readonly schedule?: ScheduleInput;
  /** The first interval begins here. Needed where there is a schedule. */
  readonly startDate?: Date;
  /** No run begins after it. Default: never. */
  readonly endDate?: Date;
  /** Runs the intervals that were missed. Default: false. */
  readonly catchup?: boolean;
  /** Default: 16. */
  readonly maxActiveRuns?: number;
  /** Over all runs of the DAG; waiting tasks count. Default: 16. */
  readonly maxActiveTasks?: number;
  /** Fails a run that takes longer. Default: none. */
  readonly dagRunTimeout?: Duration;
  /** Pauses the DAG after so many failed runs in a row. Default: 0, never. */
  readonly maxConsecutiveFailedRuns?: number;
  /** Ends the run as soon as a task has failed. Default: false. */
  readonly failFast?: boolean;
  /** Default: false. */
  readonly isPausedUponCreation?: boolean;
  /** What its tasks take where they do not say otherwise. Default: {}. */
  readonly defaultArgs?: Partial<Omit<OperatorOptions, 'taskId'>>;
  /** Default: {}. */
  readonly params?: Params;
  /** Starts a run when a broadcast signal comes. Default: none. */
  readonly startOn?: readonly SignalRule[];
  /** Alarms for runs that take too long. Default: none. */
  readonly deadlines?: readonly Deadline[];
  /** Called on the worker side when a run has failed. Default: nothing. */
  readonly onFailure?: DagCallback;
  /** The same for a success. */
  readonly onSuccess?: DagCallback;
  /** Default: []. */
  readonly tags?: readonly string[];
  /** Default: none. */
  readonly description?: string;
  /** For people; Markdown. Default: none. */
  readonly doc?: string;
  /** For people. Default: none. */
  readonly owner?: string;
}

/** Calls `callback` when a run is not finished `interval` after `reference`. */
export interface Deadline {
  readonly reference: 'logicalDate' | 'queuedAt' | 'startedAt' | Date;
  readonly interval: Duration;
  readonly callback: DagCallback;
}

/** A workflow: tasks and the order between them. Make it with `dag()`. */
export class Dag implements TaskOwner {
  readonly dagId: string;
  readonly options: DagOptions;
  readonly schedule: Schedule;
  readonly params: Readonly<Record<string, Param>>;
  readonly tasks = new Map<string, BaseOperator<any, any>>();
  readonly groups = new Map<string, TaskGroup>();
  /** By task: the innermost group it is in. */
  readonly groupOfTask = new Map<string, TaskGroup>();
  readonly watchers: Watcher[] = [];

  static {
    brandPrototype(Dag.prototype, 'Dag');
  }

  constructor(dagId: string, options: DagOptions = {}) {
    assertId('DAG', dagId);
    this.dagId = dagId;
    this.options = options;
    this.schedule = resolveSchedule(dagId, options.schedule);
    this.params = normalizeParams(dagId, options.params ?? {});
    this.checkOptions();
  }

  static isInstance(value: unknown): value is Dag {
    return hasBrand(value, 'Dag');
  }

  taskOrThrow(taskId: string): BaseOperator<any, any> {
    const task = this.tasks.get(taskId);
    if (task) return task;
    throw new DagDefinitionError(
      `DAG "${this.dagId}" has no task "${taskId}". It has: ${[...this.tasks.keys()].join(', ') || 'none'}.`,
    );
  }

  /** Registers a task under its full id. */
  add(operator: BaseOperator<any, any>, taskId: string): ReturnType<DagScope['add']> {
    assertId('task', taskId);
    if (this.tasks.has(taskId) || this.groups.has(taskId)) throw new DuplicateTaskIdError(this.dagId, taskId);
    this.tasks.set(taskId, operator);
    return { owner: this, taskId, defaults: this.options.defaultArgs ?? {} };
  }

  /** Tasks in an order that respects all edges, or `DagCycleError`. */
  topologicalOrder(): readonly string[] {
    const open = new Map([...this.tasks].map(([taskId, task]) => [taskId, task.upstreamTaskIds.size]));
    const order = [...open].filter(([, count]) => count === 0).map(([taskId]) => taskId);
    // `order` grows while it is read: each task that has no open upstream left is appended.
    for (const taskId of order) {
      for (const next of this.tasks.get(taskId)!.downstreamTaskIds) {
        const count = open.get(next)! - 1;
        open.set(next, count);
        if (count === 0) order.push(next);
      }
    }
    if (order.length < this.tasks.size) throw new DagCycleError(this.dagId, this.findCycle(new Set(order)));
    return order;
  }

  private findCycle(outside: ReadonlySet<string>): readonly string[] {
    const path: string[] = [];
    let current = [...this.tasks.keys()].find((taskId) => !outside.has(taskId))!;
    // Every task left has an upstream task that is left too, so walking upwards must come round.
    while (!path.includes(current)) {
      path.push(current);
      current = [...this.tasks.get(current)!.upstreamTaskIds].find((taskId) => !outside.has(taskId))!;
    }
    return [...path.slice(path.indexOf(current)), current].reverse();
  }

  private checkOptions(): void {
    const fail = (option: string, reason: string) => new InvalidOptionError(`DAG "${this.dagId}"`, option, reason);
    const { startDate, endDate, maxActiveRuns = 16, maxActiveTasks = 16, dagRunTimeout } = this.options;
    const needsStart = this.schedule.type === 'cron' || this.schedule.type === 'interval';
    if (needsStart && !startDate)
      throw fail('startDate', 'a DAG with a schedule needs one, because its first interval begins there');
    for (const [option, date] of Object.entries({ startDate, endDate })) {
      if (date && Number.isNaN(date.getTime())) throw fail(option, 'it is an invalid Date');
    }
    if (startDate && endDate && endDate < startDate) throw fail('endDate', 'it is before startDate');
    for (const [option, count] of Object.entries({ maxActiveRuns, maxActiveTasks })) {
      if (!Number.isInteger(count) || count < 1) throw fail(option, `${count} is not a whole number of at least 1`);
    }
    if (dagRunTimeout !== undefined) durationMs(dagRunTimeout);
  }
}

/**
 * Describes a DAG. The body is called at once and must be synchronous; the operators made inside belong to the DAG.
 * Export what it returns: a file's DAGs are its exports.
 *
 * ```ts
 * export const daily = dag('daily', { schedule: '@daily', startDate: new Date('2026-01-01') }, () => {
 *   const rows = task('extract', async () => 42);
 *   task('load', async (context, { count }) => context.log.info(`${count} rows`), { inputs: { count: rows.output } });
 * });
 * ```
 */
export function dag<const Params extends ParamsInput = Record<never, never>>(
  dagId: string,
  options: DagOptions<Params>,
  body: (scope: { readonly params: ParamOutputs<Params> }) => void,
): Dag {
  if (currentScope())
    throw new DagDefinitionError(`DAG "${dagId}" is made inside the body of another DAG. Make it beside it.`);
  const made = new Dag(dagId, options);
  const answer: unknown = within(made, () => body({ params: paramOutputs((options.params ?? {}) as Params) }));
  refuseAsync(`DAG "${dagId}"`, answer);
  made.topologicalOrder();
  rememberDag(made);
  return made;
}
