import { WindhoverError } from '@windhover/core';

export class PoolProtectedError extends WindhoverError {
  readonly code = 'E_POOL_PROTECTED';
  readonly pool: string;

  constructor(pool: string) {
    super(`Pool "${pool}" cannot be deleted: tasks that name no pool run there. Change its slots instead.`);
    this.pool = pool;
  }
}
