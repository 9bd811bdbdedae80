import { WindhoverError } from '@windhover/core';

/** A workload waited in a process behind another one that took long, and was given to a free process. */
export class WorkloadWithdrawnError extends WindhoverError {
  readonly code = 'E_WORKLOAD_WITHDRAWN';
  readonly workloadId: string;

  constructor(workloadId: string) {
    super(`Workload "${workloadId}" was given to another process, or revoked, before it began here. Leave it out.`);
    this.workloadId = workloadId;
  }
}
