import { WindhoverError } from '../windhover-error.ts';

export class DuplicateTaskIdError extends WindhoverError {
  readonly code = 'E_DUPLICATE_TASK_ID';
  readonly dagId: string;
  readonly taskId: string;

  constructor(dagId: string, taskId: string, kind = 'tasks') {
    super(
      `DAG "${dagId}" has two ${kind} with the id "${taskId}". Rename one, or put them into different task groups.`,
    );
    this.dagId = dagId;
    this.taskId = taskId;
  }
}
