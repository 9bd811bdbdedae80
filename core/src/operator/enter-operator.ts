import type { Context } from '../context/context.ts';
import type { Replay, ReplayDeferral } from '../context/replay.ts';
import { deserialize } from '../serde/deserialize.ts';
import { serialize } from '../serde/serialize.ts';
import type { BaseTrigger } from '../trigger/base-trigger.ts';
import { TriggerEvent } from '../trigger/trigger-event.ts';
import { toXComValue, type XComValue } from '../xcom/xcom-value.ts';
import { type BaseOperator, pendingDeferral } from './base-operator.ts';
import { PrivateFieldError } from './private-field-error.ts';
import { ResumeMethodError } from './resume-method-error.ts';
import {
  type SerializedDeferral,
  type SerializedEvent,
  type SerializedResume,
  serializeTrigger,
} from './serialized-deferral.ts';
import { SwallowedDeferralError } from './swallowed-deferral-error.ts';
import { TaskDeferred, TaskRescheduled, TaskSkipped } from './task-signals.ts';

/** How an entry into an operator ended. */
export type TaskOutcome =
  | { readonly type: 'success'; readonly result: XComValue }
  /** `trigger` is the live one; a runner checks that its classpath leads back to its class. */
  | { readonly type: 'deferred'; readonly deferral: SerializedDeferral; readonly trigger: BaseTrigger<any, any> }
  | { readonly type: 'rescheduled'; readonly at: Date; readonly resume: SerializedResume }
  | { readonly type: 'skipped'; readonly reason: string }
  /** `error` as it was thrown; `serializeError` makes it fit to travel. */
  | { readonly type: 'failed'; readonly error: unknown };

export interface OperatorEntry {
  /** With rendered arguments: see `bindArgs`. */
  readonly operator: BaseOperator<any, any>;
  readonly context: Context;
  /** Serves `context.step` and `context.defer`. */
  readonly replay: Replay;
  /** Null begins at `execute`. */
  readonly resume: SerializedResume | null;
  /** What ended the wait; null for a start and after a reschedule. */
  readonly event: SerializedEvent | null;
}

/** The first method and hop of a task. */
export const FIRST_ENTRY: SerializedResume = { methodName: 'execute', kwargs: {}, hop: 0 };

/**
 * Enters an operator at `execute` or at a resume method and says how it went. Never rejects. The task runner, the
 * in-process runner of `dags test` and `runOperator` all go through here, so a task behaves the same in each.
 */
export async function enterOperator(entry: OperatorEntry): Promise<TaskOutcome> {
  const resume = entry.resume ?? FIRST_ENTRY;
  // A method that runs again for `context.defer` is entered with the event it had before; the new one is in its step.
  const event = resume.replay ? resume.replay.event : entry.event;
  try {
    const result = await Promise.race([
      callMethod(entry, resume, event),
      entry.replay.deferral.then((asked) => new AskedDeferral(asked)),
    ]);
    if (result instanceof AskedDeferral) {
      await entry.replay.settled();
      return replayOutcome(result.asked, resume, event);
    }
    const swallowed = pendingDeferral(entry.operator);
    if (swallowed) throw new SwallowedDeferralError(entry.context.taskId, swallowed, 'returned');
    return { type: 'success', result: toXComValue(result) };
  } catch (thrown) {
    return outcomeOf(thrown, entry, resume);
  }
}

async function callMethod(
  entry: OperatorEntry,
  resume: SerializedResume,
  event: SerializedEvent | null,
): Promise<unknown> {
  const { operator, context } = entry;
  if (resume.methodName === FIRST_ENTRY.methodName) return operator.execute(context);
  const fired = new TriggerEvent(event ? deserialize(event.payload) : undefined);
  return methodOf(operator, resume.methodName).call(operator, context, fired, deserialize(resume.kwargs));
}

function methodOf(operator: BaseOperator<any, any>, methodName: string): (...args: unknown[]) => unknown {
  const method = (operator as unknown as Record<string, unknown>)[methodName];
  if (typeof method === 'function') return method as (...args: unknown[]) => unknown;
  throw new ResumeMethodError(
    operator.constructor.name,
    operator.taskId,
    `it is to go on at "${methodName}", which it does not have. Was the method renamed while the task waited, or did ` +
      'the deferral come from another operator called inside this one?',
  );
}

function outcomeOf(thrown: unknown, entry: OperatorEntry, resume: SerializedResume): TaskOutcome {
  try {
    const nextHop = resume.hop + 1;
    if (TaskDeferred.isInstance(thrown)) {
      const { trigger, methodName, timeoutMs = null, onTimeout } = thrown;
      methodOf(entry.operator, methodName);
      const kwargs = serialize(thrown.kwargs, 'kwargs');
      const deferral = {
        trigger: serializeTrigger(trigger),
        resume: { methodName, kwargs, hop: nextHop },
        timeoutMs,
        onTimeout,
      };
      return { type: 'deferred', deferral, trigger };
    }
    const swallowed = pendingDeferral(entry.operator);
    if (swallowed && !(thrown instanceof SwallowedDeferralError)) {
      throw new SwallowedDeferralError(entry.context.taskId, swallowed, 'threw something else', { cause: thrown });
    }
    if (TaskRescheduled.isInstance(thrown)) {
      const kwargs = serialize(thrown.kwargs, 'kwargs');
      return { type: 'rescheduled', at: thrown.at, resume: { methodName: thrown.methodName, kwargs, hop: nextHop } };
    }
    if (TaskSkipped.isInstance(thrown)) return { type: 'skipped', reason: thrown.message };
    return { type: 'failed', error: explained(thrown, entry.operator) };
  } catch (error) {
    return { type: 'failed', error };
  }
}

/** V8 says only that it cannot read a private member. */
function explained(thrown: unknown, operator: BaseOperator<any, any>): unknown {
  const isPrivateField = thrown instanceof TypeError && /private (member|field|method)/.test(thrown.message);
  return isPrivateField ? new PrivateFieldError(operator.constructor.name, thrown) : thrown;
}

/** `context.defer`: the same method runs again, entered as it was, and finds the event in its step. */
function replayOutcome(asked: ReplayDeferral, resume: SerializedResume, event: SerializedEvent | null): TaskOutcome {
  const { trigger, timeoutMs = null, point } = asked;
  const deferral: SerializedDeferral = {
    trigger: serializeTrigger(trigger),
    resume: { ...resume, replay: { ...point, event } },
    timeoutMs,
    onTimeout: 'retry',
  };
  return { type: 'deferred', deferral, trigger };
}

/** Tells a deferral that was asked for from a result that happens to look like one. */
class AskedDeferral {
  readonly asked: ReplayDeferral;

  constructor(asked: ReplayDeferral) {
    this.asked = asked;
  }
}
