import {
  type ClaimedTrigger,
  type ConnectionFields,
  type Json,
  type ListenSignalAnswer,
  type ListenSignalRequest,
  type RunStatesRequest,
  type SendSignalOptions,
  type SerializedRunStates,
  type SignalVersion,
  StaleEpochError,
  type SubmitAnswer,
  type SubmittedEvent,
  type TriggerLease,
  type TriggerRelease,
  type UnaddressedLogChunk,
  type XComQuery,
  type XComValue,
} from '@windhover/core';
import type { TriggerHost } from '@windhover/worker';
import type { MemoryRun, MemoryTrigger } from './memory-run.ts';
import type { MemoryServices } from './memory-services.ts';
import type { Report } from './test-event.ts';

export interface MemoryTriggerHostOptions {
  readonly run: MemoryRun;
  readonly services: MemoryServices;
  readonly report: Report;
}

/** What a `TriggerRunner` is told and asks, over a run in memory. */
export class MemoryTriggerHost implements TriggerHost {
  readonly #run: MemoryRun;
  readonly #services: MemoryServices;
  readonly #report: Report;
  /** By trigger: its task. Kept, because the last lines of a log come after the event. */
  readonly #owners = new Map<string, string>();
  #released = Promise.withResolvers<void>();

  constructor({ run, services, report }: MemoryTriggerHostOptions) {
    this.#run = run;
    this.#services = services;
    this.#report = report;
  }

  /** A trigger as its triggerer gets it: to wait, or to cancel what it has left outside. */
  claimed(trigger: MemoryTrigger): ClaimedTrigger {
    this.#owners.set(String(trigger.id), trigger.taskId);
    const row = this.#run.rows.get(trigger.taskId)!;
    const sensorStartedAt = (row.sensorStartedAt ?? trigger.createdAt).toISOString();
    return {
      ...leaseOf(trigger),
      classpath: trigger.trigger.classpath,
      kwargs: trigger.trigger.kwargs,
      createdAt: trigger.createdAt.toISOString(),
      checkpoint: trigger.checkpoint,
      state: trigger.state === 'waiting' ? { type: 'waiting' } : { type: 'cancelling', reason: trigger.state },
      owner: { type: 'task', task: { ...this.#services.taskFacts(row), sensorStartedAt } },
      deadlineAt: row.deadlineAt?.toISOString() ?? null,
    };
  }

  /** Resolves when no trigger is left, neither waiting nor to be cancelled. */
  async idle(): Promise<void> {
    if (this.#run.triggers.size > 0) await this.#released.promise.then(() => this.idle());
  }

  async submit({ triggerId, leaseEpoch, outcome }: SubmittedEvent): Promise<SubmitAnswer> {
    const trigger = this.#run.triggers.get(Number(triggerId));
    if (trigger?.state !== 'waiting') return 'stale';
    const { id } = this.#run.rows.get(trigger.taskId)!;
    return this.#run.submit({ id, type: 'wake', triggerId: trigger.id, leaseEpoch, outcome }) ? 'applied' : 'stale';
  }

  /** `handedBack` never comes: nobody else could go on. */
  async release(lease: TriggerLease, release: TriggerRelease): Promise<void> {
    if (release.outcome === 'killFailed') {
      const message = `onKill of the trigger failed: ${release.error.stack ?? release.error.message}`;
      const taskId = this.#owners.get(lease.triggerId) ?? '';
      this.#report({ at: new Date().toISOString(), type: 'log', taskId, source: 'trigger', level: 'error', message });
    }
    this.#run.removeTrigger(Number(lease.triggerId));
    this.#released.resolve();
    this.#released = Promise.withResolvers<void>();
  }

  /** `tasks explain` shows it; here the log has to do. */
  async progress(): Promise<void> {}

  async saveCheckpoint(lease: TriggerLease, checkpoint: Json): Promise<void> {
    this.#run.patchTrigger(this.#held(lease).id, { checkpoint });
  }

  async connection(lease: TriggerLease, connId: string): Promise<ConnectionFields | null> {
    return this.#services.connection(this.#held(lease).taskId, connId);
  }

  async variable(lease: TriggerLease, key: string): Promise<string | null> {
    return this.#services.variable(this.#held(lease).taskId, key);
  }

  async getXCom(lease: TriggerLease, query: XComQuery): Promise<XComValue> {
    return this.#services.xcom(this.#held(lease).taskId, query);
  }

  async log(chunks: readonly (TriggerLease & UnaddressedLogChunk)[]): Promise<void> {
    for (const { triggerId, records } of chunks) {
      const taskId = this.#owners.get(triggerId) ?? '';
      for (const record of records) this.#report({ type: 'log', taskId, source: 'trigger', ...record });
    }
  }

  async sendSignal(lease: TriggerLease, key: string, value: Json, options: SendSignalOptions): Promise<SignalVersion> {
    return this.#services.sendSignal(this.#held(lease).taskId, key, value, options);
  }

  async listenSignal(lease: TriggerLease, request: ListenSignalRequest): Promise<ListenSignalAnswer> {
    this.#held(lease);
    return this.#services.listenSignal(request);
  }

  async runStates(lease: TriggerLease, request: RunStatesRequest): Promise<readonly SerializedRunStates[]> {
    this.#held(lease);
    return this.#services.runStates(request);
  }

  #held(lease: TriggerLease): MemoryTrigger {
    const trigger = this.#run.triggers.get(Number(lease.triggerId));
    if (trigger && leaseOf(trigger).leaseEpoch === lease.leaseEpoch) return trigger;
    throw new StaleEpochError(`Trigger ${lease.triggerId}`, lease.leaseEpoch);
  }
}

/** A cancellation is a claim of its own: what the wait still says does not count any more. */
export function leaseOf({ id, state }: Pick<MemoryTrigger, 'id' | 'state'>): TriggerLease {
  return { triggerId: String(id), leaseEpoch: state === 'waiting' ? 1 : 2 };
}
