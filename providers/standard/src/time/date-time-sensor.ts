import { TaskFailed } from '@windhover/core';
import { MomentSensor } from './moment-sensor.ts';

export interface DateTimeSensorArgs {
  /** A text is ISO 8601 with its offset: `2026-03-01T06:00:00Z`. */
  readonly targetTime: Date | string;
}

/**
 * Waits until an instant; not at all if it has passed.
 *
 * ```ts
 * new DateTimeSensor({ taskId: 'wait', targetTime: template(({ dataInterval }) => dataInterval.end) });
 * ```
 */
export class DateTimeSensor extends MomentSensor<DateTimeSensorArgs> {
  protected moment(): Date {
    const { targetTime } = this.args;
    if (typeof targetTime !== 'string') return targetTime;
    const moment = new Date(targetTime);
    // Without an offset, `new Date` would take the zone of whichever machine happens to run this.
    if (!Number.isNaN(moment.getTime()) && /[T ].*(Z|[+-]\d\d:?\d\d)$/i.test(targetTime)) return moment;
    throw new TaskFailed(
      `The targetTime of sensor "${this.taskId}" is ${JSON.stringify(targetTime)}, which is no instant. ` +
        'Pass a Date, or a text with date, time and offset, such as 2026-03-01T06:00:00Z.',
    );
  }
}
