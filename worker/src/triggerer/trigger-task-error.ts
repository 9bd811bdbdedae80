import { formatTaskInstanceKey, type TaskInstanceKey, type TriggerOwner, WindhoverError } from '@windhover/core';

/** A trigger asked for a task that is not the one it belongs to. */
export class TriggerTaskError extends WindhoverError {
  readonly code = 'E_TRIGGER_TASK';
  readonly triggerId: string;

  constructor(triggerId: string, asked: TaskInstanceKey, owner: TriggerOwner) {
    super(
      `Trigger ${triggerId} asks for task ${formatTaskInstanceKey(asked)}, but belongs to ${describe(owner)}. ` +
        'A trigger can load only the task that waits for it.',
    );
    this.triggerId = triggerId;
  }
}

function describe(owner: TriggerOwner): string {
  if (owner.type === 'task') return `task ${formatTaskInstanceKey(owner.task.key)}`;
  return owner.type === 'dag' ? `DAG "${owner.dagId}" as a watcher` : 'several tasks that share it';
}
