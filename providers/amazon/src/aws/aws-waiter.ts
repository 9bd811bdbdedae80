import type { Context, Duration, Logger, PollOptions } from '@windhover/core';
import { type ConnectionSource, durationMs, PollTimeoutError } from '@windhover/core';
import { AwsError } from './aws-error.ts';
import { AwsHook } from './aws-hook.ts';
import { AwsJobMissingError } from './aws-job-missing-error.ts';
import type { AwsOptions } from './aws-options.ts';
import type { AwsService } from './aws-service.ts';
import { AwsWaiterTimeoutError } from './aws-waiter-timeout-error.ts';
import { valuesAt } from './values-at.ts';

/**
 * How to wait for one kind of work, as data: whom to ask, where the state stands in the answer, and which states end
 * the wait. Operators, sensors and triggers of a service share one.
 */
export interface AwsWaiter<Client, Handle> {
  /** For messages: `Batch job`. */
  readonly name: string;
  readonly service: AwsService<Client>;
  /** Asks once how the work stands. */
  readonly request: (client: Client, handle: Handle) => Promise<object>;
  /** The first that fits decides; if none does, the work goes on. */
  readonly acceptors: readonly AwsAcceptor[];
  /** Where the answer says why: `jobs[].statusReason`. The first text found is taken. */
  readonly reasons: readonly string[];
  /** Between two looks. */
  readonly delay: Duration;
  /** How many looks at most; `delay` times this is the time limit. Default: no limit but the task's own. */
  readonly maxAttempts?: number;
  /** Ends the work. Called for work that has ended, too: what AWS rejects as pointless is no error. */
  readonly cancel: (client: Client, handle: Handle) => Promise<unknown>;
}

/** `{ outcome: 'failure', path: 'jobs[].status', any: ['FAILED'] }` */
export interface AwsAcceptor {
  readonly outcome: 'success' | 'failure';
  /** Names with dots; `[]` goes through a list. */
  readonly path: string;
  /** Every value found is one of these, and there is one. */
  readonly all?: readonly (string | number)[];
  /** Some value found is one of these. */
  readonly any?: readonly (string | number)[];
}

/** How work has ended. */
export interface AwsWaiterEvent {
  readonly outcome: 'success' | 'failure';
  /** In the service's own words: `FAILED`. */
  readonly state: string;
  readonly reason: string | null;
}

/** What a wait needs beside its waiter; a trigger stores it. */
export interface AwsWaiterKwargs<Handle> extends AwsOptions {
  readonly handle: Handle;
  /** Default: that of the service. */
  readonly waiterDelay?: Duration;
  /** Default: that of the service. */
  readonly waiterMaxAttempts?: number;
}

/** The acceptors of most services: all of these are good, one of those is bad. */
export function acceptStates(
  path: string,
  states: { readonly success: readonly string[]; readonly failure: readonly string[] },
): readonly AwsAcceptor[] {
  return [
    { outcome: 'failure', path, any: states.failure },
    { outcome: 'success', path, all: states.success },
  ];
}

/** One look: how the work has ended, or undefined while it goes on. */
export async function lookAtWork<Client, Handle>(
  waiter: AwsWaiter<Client, Handle>,
  client: Client,
  handle: Handle,
): Promise<AwsWaiterEvent | undefined> {
  const answer = await waiter.request(client, handle);
  const states = valuesAt(answer, waiter.acceptors[0]!.path);
  if (states.length === 0) throw new AwsJobMissingError(waiter.name, describeHandle(handle));
  const accepted = waiter.acceptors.find(({ path, all, any }) => {
    const found = valuesAt(answer, path) as (string | number)[];
    return any ? found.some((value) => any.includes(value)) : found.every((value) => all!.includes(value));
  });
  if (!accepted) return undefined;
  const state = valuesAt(answer, accepted.path).find(
    (value) => !accepted.any || accepted.any.includes(value as string),
  );
  const reasons = waiter.reasons.flatMap((path) => valuesAt(answer, path)).filter(Boolean);
  return { outcome: accepted.outcome, state: String(state), reason: reasons.map(String)[0] ?? null };
}

/** The surroundings of a wait: a trigger's scope or a task's context. */
export interface WaitHost extends ConnectionSource {
  readonly log: Logger;
  poll<T>(check: () => Promise<T | undefined>, options: PollOptions): Promise<T>;
}

/** Looks again and again, alike in a triggerer and on a worker. */
export async function waitForWork<Client, Handle>(
  waiter: AwsWaiter<Client, Handle>,
  kwargs: AwsWaiterKwargs<Handle>,
  host: WaitHost,
  startedAt: Date,
): Promise<AwsWaiterEvent> {
  const { handle, waiterDelay: interval = waiter.delay, waiterMaxAttempts = waiter.maxAttempts } = kwargs;
  const hook = new AwsHook(host, kwargs, waiter.service);
  const limitMs = waiterMaxAttempts === undefined ? undefined : durationMs(interval) * waiterMaxAttempts;
  let missing = 0;
  const look = async () => {
    try {
      return await lookAtWork(waiter, await hook.client(), handle);
    } catch (error) {
      // Some services need a moment until they know a job that they have just accepted.
      if (!(error instanceof AwsJobMissingError) || missing === MISSING_AT_FIRST) throw error;
      missing += 1;
      return undefined;
    }
  };
  try {
    const until = limitMs === undefined ? {} : { until: new Date(startedAt.getTime() + limitMs) };
    return await host.poll(look, { interval, ...until });
  } catch (error) {
    if (!PollTimeoutError.isInstance(error)) throw error;
    throw new AwsWaiterTimeoutError(waiter.name, describeHandle(handle), waiterMaxAttempts!, limitMs!, error);
  }
}

const MISSING_AT_FIRST = 5;

/** Ends work that nobody waits for any more. Twice is harmless, and so is too late. */
export async function cancelWork<Client, Handle>(
  waiter: AwsWaiter<Client, Handle>,
  kwargs: AwsWaiterKwargs<Handle>,
  host: ConnectionSource & Pick<Context, 'log'>,
): Promise<void> {
  const client = await new AwsHook(host, kwargs, waiter.service).client();
  const name = `${waiter.name} ${describeHandle(kwargs.handle)}`;
  try {
    await waiter.cancel(client, kwargs.handle);
    host.log.info(`Cancelled ${name}.`);
  } catch (error) {
    if (!AwsError.isInstance(error) || (error.kind !== 'rejected' && error.kind !== 'notFound')) throw error;
    host.log.info(`Did not cancel ${name}, which has ended: ${error.message}`);
  }
}

/** `batch-1`, or all the texts of a handle that has several. */
export function describeHandle(handle: unknown): string {
  if (typeof handle !== 'object' || handle === null) return String(handle);
  return Object.values(handle).flat().map(String).join(' ');
}
