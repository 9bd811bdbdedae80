import { BaseSensor, type ChecksBefore, DateTimeTrigger, type PollOptions, type TriggerContext } from '@windhover/core';

/**
 * Waits for an instant, which is also its result. It knows when that is, so it looks exactly twice: now, and then; as a
 * deferred task it is a row in the database until then.
 */
export abstract class MomentSensor<Args extends object> extends BaseSensor<Date, Args> {
  /** The same for each call with the same context: it is asked again after a deferral. */
  protected abstract moment(context: TriggerContext): Date;

  async poke(context: TriggerContext) {
    const moment = this.moment(context);
    return { isDone: context.now() >= moment, xcom: moment };
  }

  override pollOptions(context: TriggerContext, before: ChecksBefore): PollOptions {
    const leftMs = this.moment(context).getTime() - context.now().getTime();
    return {
      ...super.pollOptions(context, before),
      interval: { milliseconds: Math.max(1, leftMs) },
      exponentialBackoff: false,
    };
  }

  protected override waitTrigger(context: TriggerContext): DateTimeTrigger {
    return new DateTimeTrigger({ moment: this.moment(context) });
  }
}
