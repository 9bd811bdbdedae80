import { WindhoverError } from '@windhover/core';

export class DagNotFoundError extends WindhoverError {
  readonly code = 'E_DAG_NOT_FOUND';
  readonly dagId: string;

  constructor(dagId: string) {
    super(`There is no DAG "${dagId}". See: windhover dags list, and its import errors.`);
    this.dagId = dagId;
  }
}
