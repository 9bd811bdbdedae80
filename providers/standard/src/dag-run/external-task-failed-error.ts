import { TaskFailed } from '@windhover/core';

/** What an `ExternalTaskSensor` waits for has ended in one of its `failedStates`. */
export class ExternalTaskFailedError extends TaskFailed {
  override readonly code = 'E_EXTERNAL_TASK_FAILED';
  readonly dagId: string;
  readonly state: string;

  constructor(dagId: string, what: string, state: string) {
    super(
      `What is waited for, ${what} of DAG "${dagId}", is ${state}. ` +
        'Look there first; clear this task when the other one has succeeded.',
    );
    this.dagId = dagId;
    this.state = state;
  }
}
