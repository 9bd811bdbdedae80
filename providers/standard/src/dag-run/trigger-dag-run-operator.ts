import {
  BaseOperator,
  type Context,
  type DagRunState,
  type Duration,
  JobFailedError,
  type Json,
  type TriggerEvent,
  type TriggeredDagRun,
} from '@windhover/core';
import { checkDagRun, type DagRunEvent, DagRunTrigger } from './dag-run-trigger.ts';

export interface TriggerDagRunArgs {
  readonly triggerDagId: string;
  /** Default: {}. */
  readonly conf?: Readonly<Record<string, Json>>;
  /** Default: now. */
  readonly logicalDate?: Date;
  /** Ends when the run it started has ended. Default: false. */
  readonly waitForCompletion?: boolean;
  /** Between two looks at that run. Default: 60 seconds. */
  readonly pokeInterval?: Duration;
  /** In which states of that run this task succeeds; a run in one of these is not waited for any longer. Default: `success`. */
  readonly allowedStates?: readonly DagRunState[];
  /** False holds the worker while it waits. Default: true. */
  readonly deferrable?: boolean;
}

/**
 * Starts a run of another DAG, once, over crashes and retries of this task; the result names it. A retry after that run
 * has failed starts a new one.
 *
 * ```ts
 * new TriggerDagRunOperator({ taskId: 'report', triggerDagId: 'report', conf: { region: 'north' }, waitForCompletion: true });
 * ```
 */
export class TriggerDagRunOperator extends BaseOperator<TriggeredDagRun, TriggerDagRunArgs> {
  async execute(context: Context): Promise<TriggeredDagRun> {
    const { triggerDagId, conf, logicalDate, waitForCompletion = false, deferrable = true } = this.args;
    // Stored before the run is asked for: a worker that is lost meanwhile asks again for the same one.
    const dedupeKey = await context.step('dedupe key', () => crypto.randomUUID());
    const run = await context.step('trigger', () =>
      context.triggerDagRun(triggerDagId, {
        dedupeKey,
        ...(conf ? { conf } : {}),
        ...(logicalDate ? { logicalDate } : {}),
      }),
    );
    context.log.info(`Started run "${run.runId}" of DAG "${run.dagId}".`);
    if (!waitForCompletion) return run;
    const { pokeInterval: interval = '60s', allowedStates: states = ['success'] } = this.args;
    const wait = { dagId: run.dagId, runId: run.runId, states, interval };
    if (deferrable) this.defer({ trigger: new DagRunTrigger(wait), resume: this.executeComplete, kwargs: { run } });
    return this.complete(run, await context.poll(() => checkDagRun(wait, context), { interval }));
  }

  executeComplete(
    _context: Context,
    event: TriggerEvent<DagRunEvent>,
    { run }: { run: TriggeredDagRun },
  ): TriggeredDagRun {
    return this.complete(run, event.payload);
  }

  private complete(run: TriggeredDagRun, { dagId, runId, state }: DagRunEvent): TriggeredDagRun {
    const { allowedStates = ['success'] } = this.args;
    if ((allowedStates as readonly string[]).includes(state)) return run;
    throw new JobFailedError(
      state === 'missing'
        ? `Run "${runId}" of DAG "${dagId}", which this task started, is gone. A retry starts a new one.`
        : `Run "${runId}" of DAG "${dagId}", which this task started, is ${state}. Look at its tasks; a retry starts a new run.`,
    );
  }
}
