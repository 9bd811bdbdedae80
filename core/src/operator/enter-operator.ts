import type { Context } from '../context/context.ts';
import type { Replay } from '../context/replay.ts';
import type { Json } from '../json.ts';
import { deserialize } from '../serde/deserialize.ts';
import { serialize } from '../serde/serialize.ts';
import { TriggerEvent } from '../trigger/trigger-event.ts';
import { type BaseOperator, pendingDeferral } from './base-operator.ts';
import { ResumeMethodError } from './resume-method-error.ts';
import { type SerializedDeferral, type SerializedResume, serializeTrigger } from './serialized-deferral.ts';
import { SwallowedDeferralError } from './swallowed-deferral-error.ts';
import { TaskDeferred, TaskRescheduled, TaskSkipped } from './task-signals.ts';

/** How an entry into an operator ended. */
export type TaskOutcome =
  | { readonly type: 'success'; readonly result: Json }
  | { readonly type: 'deferred'; readonly deferral: SerializedDeferral }
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
  /** The payload of the event that ended the wait; null for a start, a reschedule or a replay. */
  readonly event: Json | null;
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
      entry.replay.deferral.then(({ trigger, timeoutMs, point }) => {
        const replay = { ...point, event };
        return new ReplayOutcome({
          trigger: serializeTrigger(trigger),
          resume: { methodName: resume.methodName, kwargs: resume.kwargs, hop: resume.hop, replay },
          timeoutMs: timeoutMs ?? null,
          onTimeout: 'retry',
        });
      }),
    ]);
    if (result instanceof ReplayOutcome) return { type: 'deferred', deferral: result.deferral };
    const swallowed = pendingDeferral(entry.operator);
    if (swallowed) throw new SwallowedDeferralError(entry.context.taskId, swallowed, 'returned');
    return { type: 'success', result: result === undefined ? null : serialize(result, 'the result') };
  } catch (thrown) {
    return outcomeOf(thrown, entry, resume);
  }
}

function callMethod({ operator, context }: OperatorEntry, resume: SerializedResume, event: Json | null): unknown {
  const method = (operator as unknown as Record<string, unknown>)[resume.methodName];
  if (typeof method !== 'function') {
    throw new ResumeMethodError(
      operator.constructor.name,
      operator.taskId,
      `it was to go on at "${resume.methodName}", which it no longer has. Was the method renamed while the task waited?`,
    );
  }
  if (resume.methodName === FIRST_ENTRY.methodName) return operator.execute(context);
  return method.call(
    operator,
    context,
    new TriggerEvent(event === null ? undefined : deserialize(event)),
    deserialize(resume.kwargs),
  );
}

function outcomeOf(thrown: unknown, entry: OperatorEntry, resume: SerializedResume): TaskOutcome {
  try {
    const nextHop = resume.hop + 1;
    if (TaskDeferred.isInstance(thrown)) {
      const kwargs = serialize(thrown.kwargs, 'kwargs');
      const { methodName, timeoutMs, onTimeout } = thrown;
      const deferral = {
        trigger: serializeTrigger(thrown.trigger),
        resume: { methodName, kwargs, hop: nextHop },
        timeoutMs: timeoutMs ?? null,
        onTimeout,
      };
      return { type: 'deferred', deferral };
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
    return { type: 'failed', error: thrown };
  } catch (error) {
    return { type: 'failed', error };
  }
}

class ReplayOutcome {
  readonly deferral: SerializedDeferral;

  constructor(deferral: SerializedDeferral) {
    this.deferral = deferral;
  }
}
