import { DeferralTimeoutError } from '../operator/deferral-timeout-error.ts';
import type { TaskDeferred } from '../operator/task-signals.ts';
import { BaseTrigger } from './base-trigger.ts';
import { type TaskEndEvent, TaskFailedEvent, TaskSkippedEvent, type TriggerEvent } from './trigger-event.ts';
import type { ExitReason, KillReason, TaskReference, TriggerScope } from './trigger-scope.ts';

/**
 * Begins a task with `startFromTrigger`, without a worker: asks the operator for its `startTrigger` and runs that one
 * in its place. When it fires, the task resumes in the method that `startTrigger` names.
 */
export class TaskStartTrigger extends BaseTrigger<unknown, TaskReference> {
  static override readonly classpath = '@windhover/core#TaskStartTrigger';
  private inner: BaseTrigger<unknown, any> | undefined;

  async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<unknown> | TaskEndEvent> {
    const deferral = await this.start(scope);
    if (deferral.timeoutMs === undefined) {
      yield* deferral.trigger.run(scope);
      return;
    }
    const events = deferral.trigger.run(scope);
    const endAt = scope.createdAt.getTime() + deferral.timeoutMs;
    const late = scope.sleep(Math.max(0, endAt - scope.now().getTime())).then((): typeof LATE => LATE);
    // A wait that ended first leaves the sleep behind; it is aborted with the scope, and nobody listens any more.
    late.catch(() => {});
    const first = await Promise.race([events.next(), late]);
    if (first !== LATE) {
      if (!first.done) yield first.value;
      return;
    }
    await deferral.trigger.onKill(scope, 'timeout');
    const error = new DeferralTimeoutError(this.kwargs.taskId, deferral.timeoutMs, deferral.onTimeout === 'retry');
    yield deferral.onTimeout === 'skip' ? new TaskSkippedEvent(error.message) : new TaskFailedEvent(error);
  }

  override async onKill(scope: TriggerScope, reason: KillReason): Promise<void> {
    await (await this.start(scope)).trigger.onKill(scope, reason);
  }

  override async cleanup(reason: ExitReason): Promise<void> {
    await this.inner?.cleanup(reason);
  }

  private async start(scope: TriggerScope): Promise<TaskDeferred> {
    const { operator, context } = await scope.loadTask(this.kwargs);
    const deferral = await operator.startTrigger(context);
    this.inner = deferral.trigger;
    return deferral;
  }
}

const LATE = Symbol('late');
