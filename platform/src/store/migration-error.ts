import { WindhoverError } from '@windhover/core';

export class MigrationError extends WindhoverError {
  readonly code = 'E_MIGRATION';

  constructor(reason: string, advice: string) {
    super(`The database cannot be migrated: ${reason}. ${advice}`);
  }
}
