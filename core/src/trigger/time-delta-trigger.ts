import { type Duration, durationMs } from '../duration.ts';
import { BaseTrigger } from './base-trigger.ts';
import { TriggerEvent } from './trigger-event.ts';
import type { TriggerScope } from './trigger-scope.ts';

/**
 * Fires some time after the deferral; the event is that instant. It counts from when the database stored the deferral,
 * so that neither a restart nor the clock of a worker changes the wait.
 */
export class TimeDeltaTrigger extends BaseTrigger<Date, { delta: Duration }> {
  static override readonly classpath = '@windhover/core#TimeDeltaTrigger';

  override get notBefore(): { afterMs: number } {
    return { afterMs: durationMs(this.kwargs.delta) };
  }

  async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<Date>> {
    const moment = new Date(scope.createdAt.getTime() + durationMs(this.kwargs.delta));
    await scope.sleep(Math.max(0, moment.getTime() - scope.now().getTime()));
    yield new TriggerEvent(moment);
  }
}
