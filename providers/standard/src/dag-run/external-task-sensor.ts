import {
  BaseSensor,
  type ChecksBefore,
  type Duration,
  durationMs,
  InvalidOptionError,
  type OperatorOptions,
  type SensorOptions,
  type TemplatedArgs,
  type TriggerContext,
} from '@windhover/core';
import { sensorWaitKwargs } from '../sensor-wait.ts';
import { checkExternalState, type ExternalState, type ExternalStateQuery } from './external-state.ts';
import { ExternalTaskTrigger } from './external-task-trigger.ts';

export interface ExternalTaskSensorArgs {
  readonly externalDagId: string;
  /** Default: none of the three: the run as a whole. */
  readonly externalTaskId?: string;
  readonly externalTaskIds?: readonly string[];
  readonly externalTaskGroupId?: string;
  /** Default: `success`. */
  readonly allowedStates?: readonly ExternalState[];
  /** In one of these this task is skipped. Default: none. */
  readonly skippedStates?: readonly ExternalState[];
  /** In one of these this task fails. Default: none, because what has failed may be cleared and succeed. */
  readonly failedStates?: readonly ExternalState[];
  /** How much earlier the other run's logical date is. Default: it is the same. */
  readonly executionDelta?: Duration;
  /** The logical dates of the runs to look at, for all that a delta cannot say. Default: `executionDelta` says it. */
  readonly executionDateFn?: (context: TriggerContext) => Date | readonly Date[];
}

/**
 * Waits for a run of another DAG, or for tasks in it.
 *
 * ```ts
 * new ExternalTaskSensor({ taskId: 'sales_loaded', externalDagId: 'sales', externalTaskId: 'load', executionDelta: '1h' });
 * ```
 */
export class ExternalTaskSensor extends BaseSensor<true, ExternalTaskSensorArgs> {
  constructor(options: OperatorOptions & SensorOptions & TemplatedArgs<ExternalTaskSensorArgs>) {
    super(options);
    this.refuseTogether('externalTaskId', 'externalTaskIds', 'externalTaskGroupId');
    this.refuseTogether('executionDelta', 'executionDateFn');
  }

  async poke(context: TriggerContext) {
    const found = await checkExternalState(this.query(context), context);
    return found ? { isDone: true, xcom: found } : false;
  }

  protected override waitTrigger(context: TriggerContext, before: ChecksBefore): ExternalTaskTrigger {
    return new ExternalTaskTrigger({
      ...this.query(context),
      ...sensorWaitKwargs(this.pollOptions(context, before), this.args.softFail ?? false),
    });
  }

  private query(context: TriggerContext): ExternalStateQuery {
    const { externalDagId, externalTaskId, externalTaskIds, externalTaskGroupId } = this.args;
    const taskIds = externalTaskId === undefined ? externalTaskIds : [externalTaskId];
    return {
      dagId: externalDagId,
      logicalDates: this.logicalDates(context),
      ...(taskIds ? { taskIds } : {}),
      ...(externalTaskGroupId === undefined ? {} : { taskGroupId: externalTaskGroupId }),
      allowedStates: this.args.allowedStates ?? ['success'],
      skippedStates: this.args.skippedStates ?? [],
      failedStates: this.args.failedStates ?? [],
    };
  }

  private logicalDates(context: TriggerContext): readonly Date[] {
    const { executionDelta = '0s', executionDateFn } = this.args;
    if (!executionDateFn) return [new Date(context.logicalDate.getTime() - durationMs(executionDelta))];
    const dates = executionDateFn(context);
    return dates instanceof Date ? [dates] : dates;
  }

  private refuseTogether(...names: readonly (keyof ExternalTaskSensorArgs)[]): void {
    const given = names.filter((name) => this.args[name] !== undefined);
    if (given.length < 2) return;
    throw new InvalidOptionError(`Task "${this.taskId}"`, given[1]!, `it cannot stand beside "${given[0]}"; pass one`);
  }
}
