import { type Duration, durationMs, type TriggerContext } from '@windhover/core';
import { MomentSensor } from './moment-sensor.ts';

export interface WaitSensorArgs {
  readonly timeToWait: Duration;
}

/** Waits for some time from when it began; retries do not begin anew. */
export class WaitSensor extends MomentSensor<WaitSensorArgs> {
  protected moment({ sensorStartedAt }: TriggerContext): Date {
    return new Date(sensorStartedAt.getTime() + durationMs(this.args.timeToWait));
  }
}
