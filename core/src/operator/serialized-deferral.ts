import { ClasspathMismatchError } from '../classpath/classpath-mismatch-error.ts';
import { ownClasspath } from '../classpath/own-classpath.ts';
import type { ReplayPoint } from '../context/replay.ts';
import type { Json } from '../json.ts';
import { serialize } from '../serde/serialize.ts';
import type { BaseTrigger } from '../trigger/base-trigger.ts';
import type { TimeoutAction } from './task-signals.ts';

/** A trigger as it is stored. */
export interface SerializedTrigger {
  readonly classpath: string;
  readonly kwargs: Json;
  /** ISO 8601, or milliseconds after the deferral. Default: it runs at once. */
  readonly notBefore?: string | { readonly afterMs: number };
  readonly isShareable: boolean;
}

/** Where a task goes on, as it is stored in `next_method` and `next_kwargs`. */
export interface SerializedResume {
  readonly methodName: string;
  readonly kwargs: Json;
  /** How many times the task was resumed in a method before this one; steps are kept apart by it. */
  readonly hop: number;
  /** For `context.defer`: the step that gets the event, and the event the method itself was entered with. */
  readonly replay?: ReplayPoint & { readonly event: SerializedEvent | null };
}

/** The payload of the event that ended a wait. */
export interface SerializedEvent {
  readonly payload: Json;
}

export interface SerializedDeferral {
  readonly trigger: SerializedTrigger;
  readonly resume: SerializedResume;
  readonly timeoutMs: number | null;
  readonly onTimeout: TimeoutAction;
}

/** Makes a trigger storable, or says what stands in the way: nothing has been written yet. */
export function serializeTrigger(trigger: BaseTrigger<any, any>): SerializedTrigger {
  const triggerClass = trigger.constructor as typeof BaseTrigger<any, any>;
  const own = ownClasspath(triggerClass);
  const [classpath, kwargs] = trigger.serialize();
  if (classpath !== own) {
    throw new ClasspathMismatchError(
      triggerClass.name,
      classpath,
      `its serialize() names that one, but its static classpath is "${own}". Both must name the class itself.`,
    );
  }
  const { notBefore } = trigger;
  return {
    classpath,
    kwargs: serialize(kwargs ?? {}, `${triggerClass.name}.kwargs`),
    isShareable: triggerClass.shareable === true,
    ...(notBefore === undefined ? {} : { notBefore: notBefore instanceof Date ? notBefore.toISOString() : notBefore }),
  };
}
