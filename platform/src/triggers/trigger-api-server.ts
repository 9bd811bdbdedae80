import {
  type ConnectionFields,
  type Json,
  type RunStatesRequest,
  type SerializedRunStates,
  StaleEpochError,
  type SubmitAnswer,
  type SubmittedEvent,
  serializeError,
  type TriggerApi,
  type TriggerLease,
  type TriggerOutcome,
  type TriggerSyncAnswer,
  type UnaddressedLogChunk,
  type XComQuery,
  type XComValue,
} from '@windhover/core';
import type { Lookup } from '../connections/lookup.ts';
import { NotYetError } from '../execution-api/not-yet-error.ts';
import { readRunStates } from '../store/run-states.ts';
import { getHeldTriggers, getXComForTrigger, saveCheckpoint } from '../store/triggers.ts';
import type { ChangeResult } from '../task-instances/change-writer.ts';
import { EndedLeases, leaseName } from './ended-leases.ts';
import { CHECKPOINT_PURPOSE } from './open-claimed-trigger.ts';
import { streamOf } from './trigger-stream.ts';
import { type HeldSyncRequest, TriggerSync, type TriggerSyncOptions } from './trigger-sync.ts';

export interface TriggerApiServerOptions extends TriggerSyncOptions {
  readonly lookup: Pick<Lookup, 'connection' | 'variable'>;
}

/**
 * The platform's side of `TriggerApi`. Each call names a lease, and only its holder is answered: others get
 * `StaleEpochError`, and nothing changes.
 */
export class TriggerApiServer implements TriggerApi {
  readonly #options: TriggerApiServerOptions;
  readonly #ended = new EndedLeases();
  readonly #sync: TriggerSync;

  constructor(options: TriggerApiServerOptions) {
    this.#options = options;
    this.#sync = new TriggerSync(options, this.#ended);
  }

  sync(request: HeldSyncRequest): Promise<TriggerSyncAnswer> {
    return this.#sync.sync(request);
  }

  /** Answers at once whoever waits in `sync`, and listens no longer. */
  close(): void {
    this.#sync.close();
  }

  submit(events: readonly SubmittedEvent[]): Promise<readonly SubmitAnswer[]> {
    return Promise.all(events.map((event) => this.#submit(event)));
  }

  async saveCheckpoint(lease: TriggerLease, checkpoint: Json): Promise<void> {
    const { database, cipher } = this.#options;
    if (!(await saveCheckpoint(database, lease, cipher.encrypt(checkpoint, CHECKPOINT_PURPOSE)))) throw stale(lease);
  }

  async connection(lease: TriggerLease, connId: string): Promise<ConnectionFields | null> {
    await this.#check(lease);
    return this.#options.lookup.connection(connId);
  }

  async variable(lease: TriggerLease, key: string): Promise<string | null> {
    await this.#check(lease);
    return this.#options.lookup.variable(key);
  }

  async getXCom(lease: TriggerLease, query: XComQuery): Promise<XComValue> {
    const found = await getXComForTrigger(this.#options.database, lease, query);
    if (!found) throw stale(lease);
    const { isFound, value, reference } = found;
    if (!isFound) return { type: 'none' };
    return reference === null ? { type: 'value', value } : { type: 'reference', reference };
  }

  async runStates(lease: TriggerLease, request: RunStatesRequest): Promise<readonly SerializedRunStates[]> {
    await this.#check(lease);
    return readRunStates(this.#options.database, request);
  }

  /** The chunks of those who hold their triggers are kept, also where others hold theirs no longer. */
  async log(chunks: readonly (TriggerLease & UnaddressedLogChunk)[]): Promise<void> {
    const { database, logStore } = this.#options;
    const held = await getHeldTriggers(database, chunks);
    const streams = new Map(held.map((row) => [leaseName(row), streamOf(row)]));
    let late: TriggerLease | undefined;
    const addressed = chunks.flatMap(({ triggerId, leaseEpoch, ...chunk }) => {
      const lease = { triggerId, leaseEpoch };
      const stream = streams.get(leaseName(lease)) ?? this.#ended.streamOf(lease);
      if (!stream) late = lease;
      return stream ? [{ ...chunk, stream }] : [];
    });
    await logStore.append(addressed);
    if (late) throw stale(late);
  }

  sendSignal(): Promise<never> {
    return Promise.reject(new NotYetError('sendSignal', 'signals'));
  }

  listenSignal(): Promise<never> {
    return Promise.reject(new NotYetError('listenSignal', 'signals'));
  }

  async #submit({ triggerId, leaseEpoch, outcome }: SubmittedEvent): Promise<SubmitAnswer> {
    const lease = { triggerId, leaseEpoch };
    const { answer, row } = await this.#wake(lease, outcome);
    if (answer !== 'applied' || !row) return this.#ended.has(lease) ? 'duplicate' : 'stale';
    const { dagId, runId, taskId, mapIndex, attempt } = row;
    this.#ended.add(lease, { type: 'task', dagId, runId, taskId, mapIndex, attempt });
    return 'applied';
  }

  /** An event that the database cannot store fails its task; sent again, it would fail again. */
  async #wake({ triggerId, leaseEpoch }: TriggerLease, outcome: TriggerOutcome): Promise<ChangeResult> {
    const { writer } = this.#options;
    const wake = { id: 0, type: 'wake', triggerId: Number(triggerId), leaseEpoch } as const;
    try {
      return await writer.submit({ ...wake, outcome });
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      return writer.submit({ ...wake, outcome: { type: 'failed', error: serializeError(error) } });
    }
  }

  async #check(lease: TriggerLease): Promise<void> {
    const [held] = await getHeldTriggers(this.#options.database, [lease]);
    if (!held) throw stale(lease);
  }
}

/** PostgreSQL's class of data exceptions, such as a NUL in a text. */
function isUnstorable(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('22') ?? false;
}

function stale({ triggerId, leaseEpoch }: TriggerLease): StaleEpochError {
  return new StaleEpochError(`Trigger ${triggerId}`, leaseEpoch);
}
