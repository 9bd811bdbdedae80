import { WindhoverError } from '@windhover/core';

/** A backfill that cannot be made as it was asked for. */
export class BackfillError extends WindhoverError {
  readonly code = 'E_BACKFILL';
  readonly dagId: string;

  constructor(dagId: string, reason: string) {
    super(`DAG "${dagId}" cannot be backfilled: ${reason}`);
    this.dagId = dagId;
  }
}
