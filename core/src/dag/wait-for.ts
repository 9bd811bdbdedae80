import type { Context, TriggerContext } from '../context/context.ts';
import type { Duration } from '../duration.ts';
import { BaseOperator } from '../operator/base-operator.ts';
import type { TaskDeferred } from '../operator/task-signals.ts';
import type { Template } from '../template/template.ts';
import type { BaseTrigger } from '../trigger/base-trigger.ts';
import type { TriggerEvent } from '../trigger/trigger-event.ts';
import type { TaskOptions } from './task.ts';

interface WaitForArgs<Event> {
  trigger: BaseTrigger<Event, any>;
  timeout?: Duration;
}

/** A task that only waits. It begins in the triggerer and needs a worker only to hand on its event. */
export class WaitForOperator<Event> extends BaseOperator<Event, WaitForArgs<Event>> {
  async execute(): Promise<Event> {
    return this.defer(this.waiting());
  }

  override startTrigger(_context: TriggerContext): TaskDeferred {
    return this.deferral(this.waiting());
  }

  async executeComplete(_context: Context, event: TriggerEvent<Event>): Promise<Event> {
    return event.payload;
  }

  private waiting() {
    const { trigger, timeout } = this.args;
    return { trigger, methodName: 'executeComplete', ...(timeout === undefined ? {} : { timeout }) };
  }
}

/**
 * A trigger as an element of the graph. Its event is the task's output.
 *
 * ```ts
 * waitFor('noon', template(({ logicalDate }) => new DateTimeTrigger({ moment: noonOf(logicalDate) }))).before(report);
 * ```
 */
export function waitFor<Event>(
  taskId: string,
  trigger: BaseTrigger<Event, any> | Template<BaseTrigger<Event, any>>,
  options: TaskOptions & { readonly timeout?: Duration } = {},
): WaitForOperator<Event> {
  return new WaitForOperator<Event>({ ...options, taskId, trigger, startFromTrigger: true } as ConstructorParameters<
    typeof WaitForOperator<Event>
  >[0]);
}
