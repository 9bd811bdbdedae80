import type { Duration } from '../duration.ts';
import type { TriggerOutcome } from '../execution-api/trigger-api.ts';
import type { Json } from '../json.ts';
import type { BaseOperator } from '../operator/base-operator.ts';
import { type SerializedDeferral, type SerializedTrigger, serializeTrigger } from '../operator/serialized-deferral.ts';
import { deserialize } from '../serde/deserialize.ts';
import type { BaseTrigger } from '../trigger/base-trigger.ts';
import type { TaskDeferredEvent } from '../trigger/trigger-event.ts';
import { outcomeOfError, outcomeOfEvent } from '../trigger/trigger-outcome.ts';
import type { ExitReason, KillReason } from '../trigger/trigger-scope.ts';
import type { TestHost } from './test-host.ts';
import { nextTurn } from './virtual-clock.ts';

export type TriggerClass = new (kwargs: any) => BaseTrigger<any, any>;

export interface RunTriggerOptions {
  readonly host: TestHost;
  /** Default: none; triggers that name a task need it. */
  readonly operator?: BaseOperator<any, any>;
  /** Default: 1. */
  readonly tryNumber?: number;
  /** Makes the trigger anew from its serialized form and checkpoint after each of these spans, 50 times at most. Default: never. */
  readonly restartEvery?: Duration;
  /** Ends the wait: an instant by the clock, and why. The earliest counts. Default: never. */
  readonly kills?: readonly { readonly at: Date; readonly reason: KillReason }[];
}

export type TriggerEnd =
  | Exclude<TriggerOutcome, { type: 'deferred' }>
  /** The wait goes on with a trigger of this class. */
  | { readonly type: 'deferred'; readonly deferral: SerializedDeferral; readonly triggerClass: TriggerClass }
  | { readonly type: 'killed'; readonly reason: KillReason };

/** Runs a trigger from its serialized form until its first event, with restarts and kills as a triggerer has them. */
export async function runTrigger(
  triggerClass: TriggerClass,
  stored: SerializedTrigger,
  options: RunTriggerOptions,
): Promise<TriggerEnd> {
  const { host, restartEvery } = options;
  const createdAt = host.clock.now();
  const checkpoint: { value: Json | undefined } = { value: undefined };
  const kill = [...(options.kills ?? [])].sort((a, b) => a.at.getTime() - b.at.getTime())[0];
  for (let restarts = 0; ; restarts += 1) {
    const stop = new AbortController();
    const trigger = inflate(triggerClass, stored);
    const facts = {
      operator: options.operator,
      tryNumber: options.tryNumber ?? 1,
      signal: stop.signal,
      createdAt,
      checkpoint,
    };
    const calledOff: (() => void)[] = [];
    const interrupted = Promise.withResolvers<KillReason | 'restart'>();
    const interrupt = (why: KillReason | 'restart') => {
      interrupted.resolve(why);
      stop.abort(new Error(`The trigger is stopped: ${why}`));
    };
    if (kill) calledOff.push(host.clock.at(kill.at, () => interrupt(kill.reason)));
    if (restartEvery && restarts < 50) calledOff.push(host.clock.at(restartEvery, () => interrupt('restart')));
    const events = trigger.run(host.scope(facts));
    const first = events.next().then((result) => endOf(trigger, result), endOfError);
    const end = await Promise.race([interrupted.promise, first]);
    for (const callOff of calledOff) callOff();
    if (typeof end === 'string' && !(await endsSoon(first))) {
      return endOfError(new Error('The trigger did not stop: its run() goes on although scope.signal has aborted.'));
    }
    await events.return();
    await trigger.cleanup(exitReason(end));
    if (end === 'restart') continue;
    if (typeof end !== 'string') return end;
    // A kill reaches a trigger made anew, perhaps in another process than the one that waited.
    await inflate(triggerClass, stored).onKill(host.scope({ ...facts, signal: new AbortController().signal }), end);
    return { type: 'killed', reason: end };
  }
}

/** Through JSON text and back, as a row in the database does it. */
export function inflate(triggerClass: TriggerClass, stored: SerializedTrigger): BaseTrigger<any, any> {
  return new triggerClass(deserialize(JSON.parse(JSON.stringify(stored.kwargs))));
}

export function storedForm(trigger: BaseTrigger<any, any>): SerializedTrigger {
  return JSON.parse(JSON.stringify(serializeTrigger(trigger))) as SerializedTrigger;
}

function endOf(trigger: BaseTrigger<any, any>, result: IteratorResult<unknown, void>): TriggerEnd {
  const outcome = outcomeOfEvent(trigger, result);
  if (outcome.type !== 'deferred') return outcome;
  const { deferral } = result.value as TaskDeferredEvent;
  return { ...outcome, triggerClass: deferral.trigger.constructor as TriggerClass };
}

function endOfError(error: unknown): TriggerEnd {
  return outcomeOfError(error) as TriggerEnd;
}

/** Within a hundred turns of the event loop, which is ample for whatever listens to the signal. */
async function endsSoon(run: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  void run.then(() => {
    hasEnded = true;
  });
  for (let turn = 0; turn < 100 && !hasEnded; turn += 1) await nextTurn();
  return hasEnded;
}

function exitReason(end: TriggerEnd | string): ExitReason {
  if (typeof end === 'string') return end === 'restart' ? 'handedBack' : 'killed';
  return end.type === 'failed' ? 'failed' : 'fired';
}
