import type { TriggerOutcome } from '../execution-api/trigger-api.ts';
import { serializeTrigger } from '../operator/serialized-deferral.ts';
import { TaskSkipped } from '../operator/task-signals.ts';
import { serialize } from '../serde/serialize.ts';
import { serializeError } from '../windhover-error.ts';
import { toXComValue } from '../xcom/xcom-value.ts';
import type { BaseTrigger } from './base-trigger.ts';
import {
  TaskDeferredEvent,
  TaskFailedEvent,
  TaskSkippedEvent,
  TaskSuccessEvent,
  TriggerEvent,
} from './trigger-event.ts';
import { TriggerNoEventError } from './trigger-no-event-error.ts';

/** What a trigger yielded, as it is submitted. Whoever runs triggers goes through here. */
export function outcomeOfEvent(trigger: BaseTrigger<any, any>, result: IteratorResult<unknown, void>): TriggerOutcome {
  try {
    return result.done ? outcomeOfError(new TriggerNoEventError(nameOf(trigger))) : outcomeOfValue(result.value);
  } catch (error) {
    return outcomeOfError(error);
  }
}

/** A trigger that throws fails its task in place; one that throws `TaskSkipped` skips it. */
export function outcomeOfError(thrown: unknown): TriggerOutcome {
  if (TaskSkipped.isInstance(thrown)) return { type: 'skipped', reason: thrown.message };
  return { type: 'failed', error: serializeError(thrown) };
}

function outcomeOfValue(event: unknown): TriggerOutcome {
  if (TaskSuccessEvent.isInstance(event)) return { type: 'success', result: toXComValue(event.xcom) };
  if (TaskFailedEvent.isInstance(event)) return { type: 'failed', error: event.error };
  if (TaskSkippedEvent.isInstance(event))
    return { type: 'skipped', reason: event.reason ?? 'The trigger skipped the task.' };
  if (TaskDeferredEvent.isInstance(event)) {
    const { trigger, methodName, kwargs, timeoutMs = null, onTimeout } = event.deferral;
    const resume = { methodName, kwargs: serialize(kwargs, 'kwargs'), hop: 1 };
    return { type: 'deferred', deferral: { trigger: serializeTrigger(trigger), resume, timeoutMs, onTimeout } };
  }
  if (!TriggerEvent.isInstance(event)) {
    throw new TypeError(`run() yielded ${String(event)}, which is no event. Yield new TriggerEvent(payload).`);
  }
  const { id, checkpoint } = event.options;
  return {
    type: 'event',
    payload: event.payload === undefined ? null : serialize(event.payload, 'payload of the event'),
    ...(id === undefined ? {} : { id }),
    ...(checkpoint === undefined ? {} : { checkpoint: serialize(checkpoint, 'checkpoint of the event') }),
  };
}

function nameOf(trigger: BaseTrigger<any, any>): string {
  return (trigger.constructor as { classpath?: string }).classpath ?? trigger.constructor.name;
}
