import { WindhoverError } from '@windhover/core';

/** A workload waited in a process behind another one that took long, and was given to a free process; or it is over. */
export class WorkloadWithdrawnError extends WindhoverError {
  readonly code = 'E_WORKLOAD_WITHDRAWN';
  readonly workloadId: string;

  constructor(workloadId: string) {
    super(
      `Workload "${workloadId}" is not this process's any more: it is over, was given to another process, or was revoked. ` +
        'Leave it out.',
    );
    this.workloadId = workloadId;
  }
}
