import {
  type Duration,
  nextWaitMs,
  type PollOptions,
  TaskFailed,
  TaskFailedEvent,
  TaskSkippedEvent,
  TaskSuccessEvent,
  type TriggerScope,
} from '@windhover/core';

/** How a sensor's own trigger goes on where the sensor began. Without its timeout: equal waits of many tasks are one. */
export interface SensorWaitKwargs {
  readonly interval: Duration;
  readonly exponentialBackoff: boolean;
  /** Default: as for `scope.poll`. */
  readonly maxInterval?: Duration;
  readonly checksBefore: number;
  readonly failuresBefore: number;
  /** A wait in vain skips the task instead of failing it. */
  readonly softFail: boolean;
}

export function sensorWaitKwargs(options: PollOptions, softFail: boolean): SensorWaitKwargs {
  const { interval, exponentialBackoff = false, maxInterval, checksBefore = 0, failuresBefore = 0 } = options;
  return {
    interval,
    exponentialBackoff,
    ...(maxInterval === undefined ? {} : { maxInterval }),
    checksBefore,
    failuresBefore,
    softFail,
  };
}

/** Checks until there is something, and ends the task with it, without a worker. */
export async function waitAsSensor<T>(
  scope: TriggerScope,
  kwargs: SensorWaitKwargs,
  check: () => Promise<T | undefined>,
): Promise<TaskSuccessEvent | TaskFailedEvent | TaskSkippedEvent> {
  const { softFail, ...options } = kwargs;
  try {
    // The worker has just looked. Counted from the deferral, so that a restart does not put the next look off.
    if (options.checksBefore > 0) {
      const waitMs = nextWaitMs(options, options.checksBefore - 1, scope.createdAt);
      await scope.sleep(Math.max(0, scope.createdAt.getTime() + waitMs - scope.now().getTime()));
    }
    return new TaskSuccessEvent(await scope.poll(check, options));
  } catch (thrown) {
    if (!TaskFailed.isInstance(thrown)) throw thrown;
    return softFail ? new TaskSkippedEvent(thrown.message) : new TaskFailedEvent(thrown);
  }
}
