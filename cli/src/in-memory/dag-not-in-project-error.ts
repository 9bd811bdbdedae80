import { type ImportError, WindhoverError } from '@windhover/core';
import { nearestFirst } from './nearest-first.ts';

export interface DagNotInProjectFacts {
  readonly dagId: string;
  /** Where was looked, relative to the project's root: a folder, or one file. */
  readonly place: string;
  /** The ids that were found there. */
  readonly available: readonly string[];
  /** Perhaps it is in one of these. */
  readonly importErrors: readonly ImportError[];
}

export class DagNotInProjectError extends WindhoverError {
  readonly code = 'E_DAG_NOT_IN_PROJECT';
  readonly dagId: string;
  readonly place: string;
  /** The nearest first. */
  readonly available: readonly string[];
  readonly importErrors: readonly ImportError[];

  constructor({ dagId, place, available, importErrors }: DagNotInProjectFacts) {
    const sorted = nearestFirst(dagId, available);
    super(
      [
        `There is no DAG "${dagId}" in ${place}. Found there: ${sorted.join(', ') || 'none'}.`,
        ...importErrors.map(({ file, line, message }) => `${file}${line === null ? '' : `:${line}`}: ${message}`),
      ].join('\n  '),
    );
    this.dagId = dagId;
    this.place = place;
    this.available = sorted;
    this.importErrors = importErrors;
  }
}
