import { brandPrototype, hasBrand } from '../brand.ts';
import type { TaskDeferred } from '../operator/task-signals.ts';
import { type SerializedError, serializeError } from '../windhover-error.ts';

export interface TriggerEventOptions {
  /** Names this event among those of its trigger; a repeated one is dropped. Default: made from the payload. */
  readonly id?: string;
  /** Stored together with the event. Default: the last checkpoint stays. */
  readonly checkpoint?: unknown;
}

/**
 * What a trigger waits for has happened. Two live copies of a trigger must yield equal payloads for the same
 * happening, so a payload says what happened, not when or by whom it was seen.
 */
export class TriggerEvent<Payload = unknown> {
  readonly payload: Payload;
  readonly options: TriggerEventOptions;

  static {
    brandPrototype(TriggerEvent.prototype, 'TriggerEvent');
  }

  constructor(payload: Payload, options: TriggerEventOptions = {}) {
    this.payload = payload;
    this.options = options;
  }

  static isInstance(value: unknown): value is TriggerEvent {
    return hasBrand(value, 'TriggerEvent');
  }
}

/** Ends the task as a success, without a worker. `xcom` becomes its result. */
export class TaskSuccessEvent {
  readonly xcom: unknown;

  static {
    brandPrototype(TaskSuccessEvent.prototype, 'TaskSuccessEvent');
  }

  constructor(xcom?: unknown) {
    this.xcom = xcom;
  }

  static isInstance(value: unknown): value is TaskSuccessEvent {
    return hasBrand(value, 'TaskSuccessEvent');
  }
}

/** Fails the task, without a worker. Its retries apply, unless the error says `isRetryable: false`. */
export class TaskFailedEvent {
  readonly error: SerializedError;

  static {
    brandPrototype(TaskFailedEvent.prototype, 'TaskFailedEvent');
  }

  constructor(error: unknown) {
    this.error = serializeError(error);
  }

  static isInstance(value: unknown): value is TaskFailedEvent {
    return hasBrand(value, 'TaskFailedEvent');
  }
}

/** Skips the task, without a worker. */
export class TaskSkippedEvent {
  readonly reason: string | undefined;

  static {
    brandPrototype(TaskSkippedEvent.prototype, 'TaskSkippedEvent');
  }

  constructor(reason?: string) {
    this.reason = reason;
  }

  static isInstance(value: unknown): value is TaskSkippedEvent {
    return hasBrand(value, 'TaskSkippedEvent');
  }
}

/** Replaces the trigger by another one, without a worker: the task waits on, with the deferral's own timeout. */
export class TaskDeferredEvent {
  readonly deferral: TaskDeferred;

  static {
    brandPrototype(TaskDeferredEvent.prototype, 'TaskDeferredEvent');
  }

  constructor(deferral: TaskDeferred) {
    this.deferral = deferral;
  }

  static isInstance(value: unknown): value is TaskDeferredEvent {
    return hasBrand(value, 'TaskDeferredEvent');
  }
}

/** Events that end a task's wait in the triggerer, without a worker. */
export type TaskEndEvent = TaskSuccessEvent | TaskFailedEvent | TaskSkippedEvent | TaskDeferredEvent;
