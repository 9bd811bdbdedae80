import type { DagRunState } from '../dag-run/dag-run-state.ts';
import type { TaskInstanceState } from '../task-instance/task-instance-state.ts';

/** Asks for the states of other runs; `Who` is the asking hand-off or lease. */
export interface RunStatesReader<Who> {
  runStates(who: Who, request: RunStatesRequest): Promise<readonly SerializedRunStates[]>;
}

/** `RunStatesQuery` with its dates as ISO texts. */
export interface RunStatesRequest {
  readonly dagId: string;
  readonly runIds?: readonly string[];
  readonly logicalDates?: readonly string[];
  readonly taskIds?: readonly string[];
  readonly taskGroupId?: string;
}

export interface SerializedRunStates {
  readonly runId: string;
  readonly logicalDate: string;
  readonly state: DagRunState;
  readonly tasks: Readonly<Record<string, TaskInstanceState>>;
}
