import {
  BaseTrigger,
  type DagRunState,
  type Duration,
  isDagRunFinished,
  type RunStates,
  type RunStatesQuery,
  TriggerEvent,
  type TriggerScope,
} from '@windhover/core';

export interface DagRunTriggerKwargs {
  readonly dagId: string;
  readonly runId: string;
  /** Also ends the wait, beside the end of the run: such as `running`. Default: none. */
  readonly states?: readonly DagRunState[];
  readonly interval: Duration;
}

/** `missing`: there is no such run, or no longer. */
export interface DagRunEvent {
  readonly dagId: string;
  readonly runId: string;
  readonly state: DagRunState | 'missing';
}

/** Fires when a run has ended. It does not own the run: nobody cancels it when the waiting task is killed. */
export class DagRunTrigger extends BaseTrigger<DagRunEvent, DagRunTriggerKwargs> {
  static override readonly classpath = '@windhover/provider-standard#DagRunTrigger';
  static override readonly shareable = true;

  async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<DagRunEvent>> {
    const { interval } = this.kwargs;
    yield new TriggerEvent(await scope.poll(() => checkDagRun(this.kwargs, scope), { interval }));
  }
}

/** Looks once; undefined while the run goes on. */
export async function checkDagRun(
  { dagId, runId, states = [] }: Omit<DagRunTriggerKwargs, 'interval'>,
  source: { runStates(query: RunStatesQuery): Promise<readonly RunStates[]> },
): Promise<DagRunEvent | undefined> {
  const [run] = await source.runStates({ dagId, runIds: [runId] });
  if (!run) return { dagId, runId, state: 'missing' };
  return isDagRunFinished(run.state) || states.includes(run.state) ? { dagId, runId, state: run.state } : undefined;
}
