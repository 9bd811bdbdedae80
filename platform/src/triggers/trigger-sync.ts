import {
  type ClaimedTrigger,
  type LogStore,
  StaleEpochError,
  serializeError,
  type TriggerLease,
  type TriggerSyncAnswer,
  type TriggerSyncRequest,
} from '@windhover/core';
import type { DagVersions } from '../dags/dag-versions.ts';
import type { Database } from '../store/database.ts';
import type { Notifications } from '../store/notifications.ts';
import {
  type ClaimedRow,
  claimTriggers,
  compareHeld,
  type DroppedTrigger,
  holdTriggerer,
  renewTriggerer,
  type TriggererSync,
  takeDropped,
} from '../store/triggerers.ts';
import { deleteKilled, getHeldTriggers, handBack, saveProgress } from '../store/triggers.ts';
import type { ChangeWriter, Cipher } from '../task-instances/change-writer.ts';
import type { EndedLeases } from './ended-leases.ts';
import { killFailure } from './kill-failure.ts';
import { openClaimedTrigger } from './open-claimed-trigger.ts';
import { TriggerAlarm } from './trigger-alarm.ts';
import { streamOf } from './trigger-stream.ts';

export interface TriggerSyncOptions {
  readonly database: Database;
  readonly notifications: Pick<Notifications, 'on'>;
  readonly writer: ChangeWriter;
  readonly cipher: Cipher;
  readonly versions: DagVersions;
  readonly logStore: LogStore;
  /** How long a silent triggerer keeps its triggers. Default: 30 seconds. */
  readonly leaseMs?: number;
}

/**
 * `held`: all leases of the triggerer. It sends them with its first sync, and with the one after a sync that failed:
 * what was answered then it does not know. No other sync of it may be under way at that time.
 */
export type HeldSyncRequest = TriggerSyncRequest & { readonly held?: readonly TriggerLease[] };

/**
 * The long poll by which triggerers get their triggers. Who holds what, and what a triggerer has lost since it was told
 * last, is in the database and not in memory, so that any server may answer the next one.
 */
export class TriggerSync {
  readonly #options: TriggerSyncOptions;
  readonly #ended: EndedLeases;
  readonly #leaseMs: number;
  readonly #alarm: TriggerAlarm;
  /** The latest sync of each triggerer that is under way. */
  readonly #latest = new Map<string, AbortController>();

  constructor(options: TriggerSyncOptions, ended: EndedLeases) {
    this.#options = options;
    this.#ended = ended;
    this.#leaseMs = options.leaseMs ?? 30_000;
    this.#alarm = new TriggerAlarm(options.database, options.notifications);
  }

  /** One that waits is answered when a newer one of its triggerer comes, which may ask for something else. */
  async sync(request: HeldSyncRequest): Promise<TriggerSyncAnswer> {
    const { triggererId } = request;
    this.#latest.get(triggererId)?.abort();
    const own = new AbortController();
    this.#latest.set(triggererId, own);
    try {
      return await this.#answer(request, own.signal);
    } finally {
      if (this.#latest.get(triggererId) === own) this.#latest.delete(triggererId);
    }
  }

  /** Answers at once whoever waits. */
  close(): void {
    this.#alarm.close();
  }

  async #answer(request: HeldSyncRequest, signal: AbortSignal): Promise<TriggerSyncAnswer> {
    const { database } = this.#options;
    const { triggererId, done, progress, held } = request;
    // A triggerer that waited for longer would be given up while it waits.
    const endAt = performance.now() + Math.min(request.waitMs, this.#leaseMs / 3);
    if (done.length > 0) await this.#release(done);
    if (progress.length > 0) await saveProgress(database, progress);
    const sync = await renewTriggerer(database, triggererId, this.#leaseMs, held !== undefined);
    const missing = held ? await database.transaction((client) => compareHeld(client, sync, held)) : [];
    for (;;) {
      const seen = this.#alarm.rings;
      const found = await this.#look(sync, request);
      const foundAt = performance.now();
      const claimed = await this.#open(found.rows);
      const dropped = [...missing, ...found.dropped];
      const waitMs = endAt - performance.now();
      const isAnswer = claimed.length + dropped.length > 0 || waitMs <= 0;
      if (isAnswer || !(await this.#alarm.next(seen, waitMs, signal))) {
        const now = new Date(found.now.getTime() + performance.now() - foundAt).toISOString();
        return { claimed, dropped, now, leaseMs: this.#leaseMs };
      }
    }
  }

  #look(sync: TriggererSync, { queues, capacity }: TriggerSyncRequest): Promise<Found> {
    return this.#options.database.transaction(async (client) => {
      const triggerer = await holdTriggerer(client, sync);
      if (!triggerer) throw new StaleEpochError(`Triggerer ${sync.triggererId}`, sync.epoch);
      const dropped = await takeDropped(client, sync);
      const limit = Math.min(capacity, MOST_IN_ONE_ANSWER);
      return { ...triggerer, dropped, rows: limit > 0 ? await claimTriggers(client, sync, queues, limit) : [] };
    });
  }

  /** A row that cannot be opened fails its task, and not the sync: the others must get on. */
  async #open(rows: readonly ClaimedRow[]): Promise<ClaimedTrigger[]> {
    if (rows.length === 0) return [];
    const { database, cipher, versions } = this.#options;
    await versions.load(
      database,
      rows.flatMap(({ dagId, versionId }) => (dagId === null ? [] : [versionId])),
    );
    const opened: ClaimedTrigger[] = [];
    const refused: Promise<unknown>[] = [];
    for (const row of rows) {
      try {
        opened.push(openClaimedTrigger(row, cipher, versions));
      } catch (error) {
        refused.push(this.#refuse(row, error));
      }
    }
    await Promise.all(refused);
    return opened;
  }

  async #refuse(row: ClaimedRow, thrown: unknown): Promise<void> {
    const { triggerId, leaseEpoch } = row;
    const error = serializeError(thrown);
    if (row.state === 'cancelling') {
      return this.#release([{ triggerId, leaseEpoch, outcome: 'killFailed', error }]);
    }
    const outcome = { type: 'failed', error } as const;
    await this.#options.writer.submit({ id: 0, type: 'wake', triggerId: Number(triggerId), leaseEpoch, outcome });
  }

  async #release(done: TriggerSyncRequest['done']): Promise<void> {
    const { database, logStore } = this.#options;
    const handedBack = done.filter(({ outcome }) => outcome === 'handedBack');
    const killed = done.filter(({ outcome }) => outcome !== 'handedBack');
    if (killed.length > 0) {
      const held = await getHeldTriggers(database, killed);
      const errors = new Map(
        killed.flatMap((each) => (each.outcome === 'killFailed' ? [[each.triggerId, each.error]] : [])),
      );
      const failed = held.filter(({ triggerId }) => errors.has(triggerId));
      // First the log, then the row: whoever is interrupted in between does both again.
      await logStore.append(failed.map((row) => killFailure(row, errors.get(row.triggerId)!)));
      for (const row of held) this.#ended.add(row, streamOf(row));
      await deleteKilled(database, killed);
    }
    if (handedBack.length > 0) await handBack(database, handedBack);
  }
}

interface Found {
  readonly now: Date;
  readonly dropped: readonly DroppedTrigger[];
  readonly rows: readonly ClaimedRow[];
}

/** Bounds the size of an answer; the next sync gets more. */
const MOST_IN_ONE_ANSWER = 1_000;
