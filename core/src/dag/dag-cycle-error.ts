import { WindhoverError } from '../windhover-error.ts';

export class DagCycleError extends WindhoverError {
  readonly code = 'E_DAG_CYCLE';
  readonly dagId: string;
  /** The tasks of the cycle in order; the first one is also the last. */
  readonly cycle: readonly string[];

  constructor(dagId: string, cycle: readonly string[]) {
    super(`DAG "${dagId}" has a cycle: ${cycle.join(' → ')}. Remove one of these edges.`);
    this.dagId = dagId;
    this.cycle = cycle;
  }
}
