import { WindhoverError } from '@windhover/core';

export class PoolNotFoundError extends WindhoverError {
  readonly code = 'E_POOL_NOT_FOUND';
  readonly pool: string;

  constructor(pool: string) {
    super(`There is no pool "${pool}". See: windhover pools list.`);
    this.pool = pool;
  }
}
