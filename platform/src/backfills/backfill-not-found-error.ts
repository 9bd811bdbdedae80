import { WindhoverError } from '@windhover/core';

export class BackfillNotFoundError extends WindhoverError {
  readonly code = 'E_BACKFILL_NOT_FOUND';
  readonly backfillId: number;

  constructor(backfillId: number, what = 'There is no') {
    super(`${what} backfill ${backfillId}. See: windhover backfill list.`);
    this.backfillId = backfillId;
  }
}
