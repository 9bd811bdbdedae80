import { BaseTrigger } from './base-trigger.ts';
import { TaskDeferredEvent } from './trigger-event.ts';
import type { TaskReference, TriggerScope } from './trigger-scope.ts';

/**
 * Begins a task with `startFromTrigger`, without a worker: asks the operator for its `startTrigger` and hands the wait to
 * that one. So the row of the wait is the real trigger's, with its `notBefore`, its sharing and its timeout.
 */
export class TaskStartTrigger extends BaseTrigger<never, TaskReference> {
  static override readonly classpath = '@windhover/core#TaskStartTrigger';

  async *run(scope: TriggerScope): AsyncGenerator<TaskDeferredEvent> {
    const { operator, context } = await scope.loadTask(this.kwargs);
    yield new TaskDeferredEvent(await operator.startTrigger(context));
  }
}
