import { WindhoverError } from '../windhover-error.ts';

/** A DAG file describes something that cannot be. */
export class DagDefinitionError extends WindhoverError {
  readonly code: string = 'E_DAG_DEFINITION';
}
