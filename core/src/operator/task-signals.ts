import { brandPrototype, hasBrand } from '../brand.ts';
import type { BaseTrigger } from '../trigger/base-trigger.ts';

/** Where a task goes on after a wait, and with what. */
export interface ResumePoint {
  readonly methodName: string;
  /** The third argument of that method. Default: {}. */
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

/** What happens when a wait lasts too long: `retry` fails the try, and retries apply. */
export type TimeoutAction = 'retry' | 'fail' | 'skip';

/**
 * Thrown by `defer`: the task gives its worker back and goes on at `methodName` when the trigger fires. A signal to the
 * runner, not a failure; a `catch` that is not sure rethrows it.
 */
export class TaskDeferred extends Error {
  readonly trigger: BaseTrigger<unknown, any>;
  readonly methodName: string;
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number | undefined;
  readonly onTimeout: TimeoutAction;

  static {
    brandPrototype(TaskDeferred.prototype, 'TaskDeferred');
  }

  constructor(
    trigger: BaseTrigger<any, any>,
    options: ResumePoint & { readonly timeoutMs?: number | undefined; readonly onTimeout?: TimeoutAction | undefined },
  ) {
    super(`The task defers to ${trigger.constructor.name} and goes on at ${options.methodName}.`);
    this.name = 'TaskDeferred';
    this.trigger = trigger;
    this.methodName = options.methodName;
    this.kwargs = options.kwargs ?? {};
    this.timeoutMs = options.timeoutMs;
    this.onTimeout = options.onTimeout ?? 'retry';
  }

  static isInstance(value: unknown): value is TaskDeferred {
    return hasBrand(value, 'TaskDeferred');
  }
}

/** Throw it to run again at a later time, from the beginning or from another method. */
export class TaskRescheduled extends Error {
  readonly at: Date;
  readonly methodName: string;
  readonly kwargs: Readonly<Record<string, unknown>>;

  static {
    brandPrototype(TaskRescheduled.prototype, 'TaskRescheduled');
  }

  constructor(at: Date, resume: ResumePoint = { methodName: 'execute' }) {
    super(`The task asks to run again at ${at.toISOString()}.`);
    this.name = 'TaskRescheduled';
    this.at = at;
    this.methodName = resume.methodName;
    this.kwargs = resume.kwargs ?? {};
  }

  static isInstance(value: unknown): value is TaskRescheduled {
    return hasBrand(value, 'TaskRescheduled');
  }
}

/** Throw it to end the task as skipped. */
export class TaskSkipped extends Error {
  static {
    brandPrototype(TaskSkipped.prototype, 'TaskSkipped');
  }

  constructor(reason = 'The task asked to be skipped.') {
    super(reason);
    this.name = 'TaskSkipped';
  }

  static isInstance(value: unknown): value is TaskSkipped {
    return hasBrand(value, 'TaskSkipped');
  }
}
