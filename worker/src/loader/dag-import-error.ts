import { WindhoverError } from '@windhover/core';
import type { ErrorLocation } from './locate-error.ts';

/** A DAG file could not be imported; `cause` is what it threw. */
export class DagImportError extends WindhoverError {
  readonly code = 'E_DAG_IMPORT';
  /** Another host, or this one a moment later, may have the whole of a deployment. */
  override readonly isRetryable = true;
  readonly file: string;
  /** Null where it is not known. */
  readonly location: ErrorLocation | null;
  readonly reason: string;

  constructor(file: string, location: ErrorLocation | null, reason: string, options?: ErrorOptions) {
    super(`Cannot import ${file}${location ? ` (${location.file}:${location.line})` : ''}: ${reason}`, options);
    this.file = file;
    this.location = location;
    this.reason = reason;
  }
}
