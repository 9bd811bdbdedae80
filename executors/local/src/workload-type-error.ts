import { WindhoverError, type Workload } from '@windhover/core';

export class WorkloadTypeError extends WindhoverError {
  readonly code = 'E_WORKLOAD_TYPE';
  readonly workloadId: string;
  readonly type: Workload['type'];

  constructor(workloadId: string, type: Workload['type']) {
    super(
      `Workload "${workloadId}" is of type "${type}"; this version of the local executor runs tasks only. Update ` +
        '@windhover/executor-local.',
    );
    this.workloadId = workloadId;
    this.type = type;
  }
}
