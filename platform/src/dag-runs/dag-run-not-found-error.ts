import { WindhoverError } from '@windhover/core';

export class DagRunNotFoundError extends WindhoverError {
  readonly code = 'E_DAG_RUN_NOT_FOUND';
  readonly dagId: string;
  readonly runId: string;

  constructor(dagId: string, runId: string) {
    super(`DAG "${dagId}" has no run "${runId}". See: windhover dags runs ${dagId}.`);
    this.dagId = dagId;
    this.runId = runId;
  }
}
