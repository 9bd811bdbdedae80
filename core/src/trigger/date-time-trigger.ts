import { BaseTrigger } from './base-trigger.ts';
import { TriggerEvent } from './trigger-event.ts';
import type { TriggerScope } from './trigger-scope.ts';

/** Fires at an instant; at once if it has passed. The event is that instant. */
export class DateTimeTrigger extends BaseTrigger<Date, { moment: Date }> {
  static override readonly classpath = '@windhover/core#DateTimeTrigger';
  static override readonly shareable = true;

  override get notBefore(): Date {
    return this.kwargs.moment;
  }

  async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<Date>> {
    await scope.sleep(Math.max(0, this.kwargs.moment.getTime() - scope.now().getTime()));
    yield new TriggerEvent(this.kwargs.moment);
  }
}
