import { type Duration, durationMs, type TriggerContext } from '@windhover/core';
import { MomentSensor } from './moment-sensor.ts';

export interface TimeDeltaSensorArgs {
  readonly delta: Duration;
}

/** Waits until some time after the end of its run's data interval. */
export class TimeDeltaSensor extends MomentSensor<TimeDeltaSensorArgs> {
  protected moment({ dataInterval }: TriggerContext): Date {
    return new Date(dataInterval.end.getTime() + durationMs(this.args.delta));
  }
}
