import { WindhoverError } from '@windhover/core';

export class DagRunExistsError extends WindhoverError {
  readonly code = 'E_DAG_RUN_EXISTS';
  readonly dagId: string;
  readonly runId: string;

  constructor(dagId: string, runId: string, logicalDate: Date) {
    super(
      `DAG "${dagId}" has a run for ${logicalDate.toISOString()} already: ${runId}. Clear that one to run it again, or leave the date out.`,
    );
    this.dagId = dagId;
    this.runId = runId;
  }
}
