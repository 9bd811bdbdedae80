import { brandPrototype, hasBrand } from '../brand.ts';
import { TaskFailed } from '../operator/task-failed.ts';

/** A sensor waited as long as it may. Retries do not apply: they would begin the same wait again. */
export class SensorTimeoutError extends TaskFailed {
  override readonly code = 'E_SENSOR_TIMEOUT';
  readonly taskId: string;
  readonly timeoutMs: number;

  static {
    brandPrototype(SensorTimeoutError.prototype, 'SensorTimeoutError');
  }

  constructor(taskId: string, timeoutMs: number, cause?: unknown) {
    super(
      `Sensor "${taskId}" waited ${timeoutMs} ms and what it waits for did not come. ` +
        'Raise its `timeout`, or set `softFail` to skip instead; clearing the task begins a new wait.',
      cause === undefined ? undefined : { cause },
    );
    this.taskId = taskId;
    this.timeoutMs = timeoutMs;
  }

  static override isInstance(value: unknown): value is SensorTimeoutError {
    return hasBrand(value, 'SensorTimeoutError');
  }
}
