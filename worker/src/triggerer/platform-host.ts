import {
  isTransientError,
  type Json,
  type ListenSignalRequest,
  type Logger,
  type RunStatesRequest,
  type SendSignalOptions,
  StaleEpochError,
  type SubmitAnswer,
  type SubmittedEvent,
  type TriggerApi,
  type TriggerLease,
  type TriggerProgress,
  type TriggerRelease,
  type UnaddressedLogChunk,
  type XComQuery,
} from '@windhover/core';
import { backoffMs } from '../dag-processor/backoff.ts';
import { BatchSender } from './batch-sender.ts';
import type { SyncLoop } from './sync-loop.ts';
import type { TriggerHost } from './trigger-host.ts';

export interface PlatformHostOptions {
  readonly triggerApi: TriggerApi;
  readonly sync: SyncLoop;
  readonly log: Logger;
  isHeld(lease: TriggerLease): boolean;
}

/**
 * The platform as triggers see it: what fails in passing is tried again for as long as the lease is held, so that an
 * outage of the platform fails no task. Events and logs of all runners go in batches.
 */
export class PlatformHost implements TriggerHost {
  readonly #api: TriggerApi;
  readonly #options: PlatformHostOptions;
  readonly #events: BatchSender<SubmittedEvent, SubmitAnswer>;
  readonly #logs: BatchSender<readonly (TriggerLease & UnaddressedLogChunk)[], true>;

  constructor(options: PlatformHostOptions) {
    this.#options = options;
    this.#api = options.triggerApi;
    const onRetry = (what: string) => (error: unknown) =>
      options.log.warning(`${what} could not be sent and will be sent again: ${(error as Error).message}`);
    this.#events = new BatchSender({
      send: (events) => this.#api.submit(events),
      answerWithout: (event) => (options.isHeld(event) ? undefined : 'stale'),
      onRetry: onRetry('Events of triggers'),
    });
    this.#logs = new BatchSender({
      send: async (chunks) => {
        await this.#api.log(chunks.flat());
        return chunks.map(() => true as const);
      },
      answerWithout: () => undefined,
      onRetry: onRetry('Logs of triggers'),
    });
  }

  submit(event: SubmittedEvent): Promise<SubmitAnswer> {
    return this.#events.add(event);
  }

  async release(lease: TriggerLease, release: TriggerRelease): Promise<void> {
    this.#options.sync.release(lease, release);
  }

  async progress(lease: TriggerLease, progress: TriggerProgress): Promise<void> {
    this.#options.sync.progress(lease, progress);
  }

  async log(chunks: readonly (TriggerLease & UnaddressedLogChunk)[]): Promise<void> {
    await this.#logs.add(chunks);
  }

  saveCheckpoint(lease: TriggerLease, checkpoint: Json) {
    return this.#persist(lease, () => this.#api.saveCheckpoint(lease, checkpoint));
  }

  connection(lease: TriggerLease, connId: string) {
    return this.#persist(lease, () => this.#api.connection(lease, connId));
  }

  variable(lease: TriggerLease, key: string) {
    return this.#persist(lease, () => this.#api.variable(lease, key));
  }

  getXCom(lease: TriggerLease, query: XComQuery) {
    return this.#persist(lease, () => this.#api.getXCom(lease, query));
  }

  runStates(lease: TriggerLease, request: RunStatesRequest) {
    return this.#persist(lease, () => this.#api.runStates(lease, request));
  }

  listenSignal(lease: TriggerLease, request: ListenSignalRequest) {
    return this.#persist(lease, () => this.#api.listenSignal(lease, request));
  }

  sendSignal(lease: TriggerLease, key: string, value: Json, options: SendSignalOptions) {
    const send = () => this.#api.sendSignal(lease, key, value, options);
    // Without a dedupe key the platform could not tell a second try from a second signal.
    return options.dedupeKey === undefined ? send() : this.#persist(lease, send);
  }

  async #persist<T>(lease: TriggerLease, call: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      if (!this.#options.isHeld(lease)) throw new StaleEpochError(`Trigger ${lease.triggerId}`, lease.leaseEpoch);
      try {
        return await call();
      } catch (error) {
        if (!isTransientError(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, backoffMs(attempt)));
      }
    }
  }
}
