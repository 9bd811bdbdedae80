import { WindhoverError } from '../windhover-error.ts';

export class ExecutorStoppedError extends WindhoverError {
  readonly code = 'E_EXECUTOR_STOPPED';
  readonly executorName: string;
  readonly workloadId: string;

  constructor(executorName: string, workloadId: string) {
    super(
      `${executorName} has been stopped and takes no more work; workload "${workloadId}" was not queued. Queue it on another scheduler.`,
    );
    this.executorName = executorName;
    this.workloadId = workloadId;
  }
}
