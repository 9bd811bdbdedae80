import { TaskFailed, type TriggerContext } from '@windhover/core';
import { MomentSensor } from './moment-sensor.ts';
import { dayIn, instantOf, isTimeZone, parseTimeOfDay } from './zoned-time.ts';

export interface TimeSensorArgs {
  /** `14:30` or `14:30:05`. */
  readonly targetTime: string;
  /** An IANA zone. Default: `UTC`. */
  readonly timezone?: string;
}

/**
 * Waits until a time of the day on which it began to wait; not at all if that time has passed. A time that the zone
 * leaves out on that day, as clocks go forward, is the first instant after the gap.
 */
export class TimeSensor extends MomentSensor<TimeSensorArgs> {
  protected moment(context: TriggerContext): Date {
    const { targetTime, timezone = 'UTC' } = this.args;
    const time = parseTimeOfDay(targetTime);
    if (!time) {
      throw new TaskFailed(
        `The targetTime of sensor "${this.taskId}" is ${JSON.stringify(targetTime)}, which is no time of day. ` +
          'Write it as 14:30 or 14:30:05.',
      );
    }
    if (!isTimeZone(timezone)) {
      throw new TaskFailed(
        `The timezone of sensor "${this.taskId}" is ${JSON.stringify(timezone)}, which this machine does not know. ` +
          'Take an IANA name, such as Europe/Berlin.',
      );
    }
    return instantOf(dayIn(context.sensorStartedAt, timezone), time, timezone);
  }
}
