import {
  type Json,
  RETURN_VALUE,
  type SerializedError,
  type TaskInstanceState,
  taskStateSignalKey,
} from '@windhover/core';
import type { DagVersions } from '../dags/dag-versions.ts';
import { lockQueueing, parkSlots, releaseSlots, takeSlots } from '../store/active-tasks.ts';
import { reopenRuns } from '../store/dag-runs.ts';
import type { Database, Queryable } from '../store/database.ts';
import { GroupCommit } from '../store/group-commit.ts';
import { appendToLog, type NewLogRow } from '../store/signal-log.ts';
import {
  deleteSteps,
  insertAttempts,
  insertCallbacks,
  type NewAttempt,
  type NewCallback,
} from '../store/task-history.ts';
import { type LockedTaskInstance, lockTaskInstances, updateTaskInstances } from '../store/task-instances.ts';
import {
  cancelTriggers,
  deleteTriggers,
  insertTriggers,
  type LockedTrigger,
  lockTriggers,
  type NewTrigger,
  triggersOf,
} from '../store/triggers.ts';
import { deleteXComs, putXComs } from '../store/xcoms.ts';
import { type Decision, decideChange, NEXT_RESUME } from './decide-change.ts';
import { SlotCounter } from './slot-counter.ts';
import type { ChangeAnswer, TaskChange } from './task-change.ts';
import type { RunFacts, TaskInstanceRow } from './task-instance-row.ts';

/** Encrypts what is stored; `purpose` binds a ciphertext to its column. */
export interface Cipher {
  encrypt(value: Json, purpose: string): Buffer;
  decrypt(data: Buffer, purpose: string): Json;
}

export interface ChangeResult {
  readonly answer: ChangeAnswer;
  /** As it is after the change, or as it was found; null where there is no such task instance. */
  readonly row: (TaskInstanceRow & RunFacts) | null;
  /** The database's clock. */
  readonly now: Date;
}

/** A task instance as a commit of this process left it. */
export interface CommittedRow extends RunFacts {
  readonly row: TaskInstanceRow;
}

export interface ChangeWriterOptions {
  readonly database: Database;
  readonly cipher: Cipher;
  readonly versions: DagVersions;
}

/**
 * Writes changes of task instances, many in a transaction: rows are locked in order, each change is decided by a pure
 * function, and everything it changes is written with it: row, trigger, slots, history, log. Every write of a task's
 * state in this process goes through here.
 */
export class ChangeWriter {
  readonly #options: ChangeWriterOptions;
  readonly #commits: GroupCommit<TaskChange, ChangeResult>;
  readonly #listeners = new Set<(rows: readonly CommittedRow[]) => void>();

  constructor(options: ChangeWriterOptions) {
    this.#options = options;
    this.#commits = new GroupCommit((changes) => this.#write(changes));
  }

  submit(change: TaskChange): Promise<ChangeResult> {
    return this.#commits.submit(change);
  }

  submitAll(changes: readonly TaskChange[]): Promise<ChangeResult[]> {
    return Promise.all(changes.map((change) => this.#commits.submit(change)));
  }

  flush(): Promise<void> {
    return this.#commits.flush();
  }

  /** Told of each commit of this process, before other processes hear of it through the database. */
  onCommitted(listener: (rows: readonly CommittedRow[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #write(changes: readonly TaskChange[]): Promise<ChangeResult[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const batch = await this.#options.database.transaction(async (client) => {
          const made = new Batch(client, this.#options);
          await made.decide(changes);
          await made.write();
          return made;
        });
        const committed = batch.committed();
        if (committed.length > 0) for (const listener of this.#listeners) listener(committed);
        return batch.results;
      } catch (error) {
        if (attempt >= 5 || !isPassing(error)) throw error;
      }
    }
  }
}

/** Deadlock, serialization failure, or the server went away: the changes are compare-and-set, so they may be tried again. */
function isPassing(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? '';
  return (
    ['40P01', '40001', '57P01', '57P02', '57P03', 'ECONNRESET', 'ECONNREFUSED'].includes(code) || code.startsWith('08')
  );
}

class Batch {
  results: ChangeResult[] = [];
  readonly #client: Queryable;
  readonly #options: ChangeWriterOptions;
  readonly #rows = new Map<number, LockedTaskInstance>();
  readonly #changed = new Set<number>();
  readonly #triggers: (NewTrigger & { readonly id?: number })[] = [];
  readonly #deleted: number[] = [];
  readonly #cancelled: {
    triggerId: number;
    reason: NonNullable<Extract<Decision['trigger'], { type: 'cancel' }>>['reason'];
  }[] = [];
  readonly #slots = new Map<number, 'take' | 'release' | 'park'>();
  readonly #log: NewLogRow[] = [];
  readonly #attempts: NewAttempt[] = [];
  readonly #callbacks: NewCallback[] = [];
  readonly #results: { row: LockedTaskInstance; result: NonNullable<Decision['result']> }[] = [];
  readonly #stepsDropped: number[] = [];
  readonly #xcomsDropped: LockedTaskInstance[] = [];
  /** A running task is to end, or has been ended by somebody else than its worker, who must hear of it. */
  #interruptsWorker = false;
  /** Runs whose tasks a user has changed: finished ones are taken up again. */
  readonly #touchedRuns = new Set<number>();

  constructor(client: Queryable, options: ChangeWriterOptions) {
    this.#client = client;
    this.#options = options;
  }

  async decide(changes: readonly TaskChange[]): Promise<void> {
    const queueing = changes.some(({ type }) => type === 'queue') ? await lockQueueing(this.#client) : undefined;
    const slots = queueing && new SlotCounter(queueing.active, queueing.pools);
    const killed = changes.flatMap((change) => (change.type !== 'wake' && KILLS.has(change.type) ? [change.id] : []));
    const triggerIds = [
      ...changes.flatMap((change) => (change.type === 'wake' ? [change.triggerId] : [])),
      // What these tasks wait for is locked before the tasks are, as a wake-up does it.
      ...(killed.length > 0 ? await triggersOf(this.#client, killed) : []),
    ];
    const triggers = new Map(
      (triggerIds.length > 0 ? await lockTriggers(this.#client, triggerIds) : []).map((trigger) => [
        trigger.id,
        trigger,
      ]),
    );
    const targets = changes.map((change) => targetOf(change, triggers));
    const ids = [...new Set(targets.filter((id) => id !== null))];
    for (const row of ids.length > 0 ? await lockTaskInstances(this.#client, ids) : []) this.#rows.set(row.id, row);
    await this.#options.versions.load(
      this.#client,
      [...this.#rows.values()].map(({ versionId }) => versionId),
    );
    this.results = changes.map((change, index) => this.#decideOne(change, targets[index] ?? null, slots));
  }

  /** In the order of the locks: task instances are locked already, the append to the log comes last. */
  async write(): Promise<void> {
    const client = this.#client;
    if (this.#triggers.length > 0) {
      const ids = await insertTriggers(client, this.#triggers);
      for (const [taskInstanceId, triggerId] of ids) this.#patch(taskInstanceId, { triggerId });
    }
    if (this.#changed.size > 0)
      await updateTaskInstances(
        client,
        [...this.#changed].sort((a, b) => a - b).map((id) => this.#rows.get(id)!),
      );
    if (this.#deleted.length > 0) await deleteTriggers(client, this.#deleted);
    if (this.#cancelled.length > 0) await cancelTriggers(client, this.#cancelled);
    await this.#writeSlots();
    if (this.#attempts.length > 0) await insertAttempts(client, this.#attempts);
    if (this.#stepsDropped.length > 0) await deleteSteps(client, this.#stepsDropped);
    if (this.#xcomsDropped.length > 0) await deleteXComs(client, this.#xcomsDropped);
    if (this.#results.length > 0) {
      await putXComs(
        client,
        this.#results.map(({ row, result }) => ({
          value: null,
          reference: null,
          ...row,
          ...result,
          key: RETURN_VALUE,
        })),
      );
    }
    if (this.#callbacks.length > 0) await insertCallbacks(client, this.#callbacks);
    const reopened = this.#touchedRuns.size > 0 ? await reopenRuns(client, [...this.#touchedRuns]) : 0;
    if (this.#log.length > 0) await appendToLog(client, this.#log);
    const channels = [
      ...(this.#interruptsWorker ? ['windhover_stop'] : []),
      ...(reopened + this.#callbacks.length > 0 ? ['windhover_run'] : []),
      ...(this.#log.length > 0 ? ['windhover_log'] : []),
      ...(this.#triggers.length + this.#cancelled.length > 0 ? ['windhover_trigger'] : []),
    ];
    if (channels.length > 0)
      await client.query("select pg_notify(channel, '') from unnest($1::text[]) as channel", [channels]);
  }

  committed(): readonly CommittedRow[] {
    return [...this.#changed].map((id) => {
      const row = this.#rows.get(id)!;
      return { row, dagId: row.dagId, runId: row.runId, versionId: row.versionId };
    });
  }

  #decideOne(change: TaskChange, target: number | null, slots: SlotCounter | undefined): ChangeResult {
    const row = target === null ? undefined : this.#rows.get(target);
    if (!row) return { answer: 'stale', row: null, now: new Date() };
    const version = this.#options.versions.get(row.versionId)!;
    const task = version.tasks.get(row.taskId);
    const possible = change.type === 'queue' && !slots!.hasPool(row.pool) ? refuseForPool(change, row.pool) : change;
    let decision = decideChange(row, possible, task, row.now);
    if (!decision) return { answer: 'stale', row, now: row.now };
    let answer: ChangeAnswer = 'applied';
    if (possible.type === 'queue') {
      const limits = { maxActiveTasks: version.dag.maxActiveTasks, maxActivePerDag: task?.maxActivePerDag ?? null };
      const isFree = slots!.take({
        dagId: row.dagId,
        taskId: row.taskId,
        pool: row.pool,
        poolSlots: row.poolSlots,
        ...limits,
      });
      if (!isFree) {
        answer = 'noSlot';
        decision =
          row.state === 'scheduled'
            ? { row, path: [] }
            : decideChange(row, { ...possible, type: 'schedule' }, task, row.now)!;
      }
    }
    this.#apply(row, decision, task);
    if (change.type === 'clear' || change.type === 'mark') this.#touchedRuns.add(row.dagRunId);
    if (row.state === 'running' && INTERRUPTIONS.has(change.type)) this.#interruptsWorker = true;
    return { answer, row: this.#rows.get(row.id)!, now: row.now };
  }

  #apply(
    before: LockedTaskInstance,
    decision: Decision,
    task: { callbacks: readonly string[]; queue: string; priorityWeight: number } | undefined,
  ): void {
    const { path, slot, trigger, attempt, callback } = decision;
    const isUnchanged = decision.row === before && path.length === 0;
    if (isUnchanged) return;
    let row: LockedTaskInstance = { ...before, ...decision.row };
    if (decision.next !== undefined) row = { ...row, nextKwargs: this.#nextKwargs(before, decision.next) };
    let from: TaskInstanceState = before.state;
    for (const to of path) {
      row = { ...row, signalVersion: row.signalVersion + 1 };
      const value = { from, to, try: row.tryNumber, attempt: row.attempt };
      const key = taskStateSignalKey(row);
      this.#log.push({
        key,
        version: row.signalVersion,
        value,
        dagId: row.dagId,
        runId: row.runId,
        dagRunId: row.dagRunId,
        taskInstanceId: row.id,
      });
      from = to;
    }
    this.#rows.set(row.id, row);
    this.#changed.add(row.id);
    if (slot) this.#slots.set(row.id, slot);
    if (trigger?.type === 'insert' || trigger?.type === 'replace')
      this.#insertTrigger(row, trigger.deferral.trigger, task);
    if (trigger?.type === 'delete' || trigger?.type === 'replace') this.#deleted.push(trigger.triggerId);
    if (trigger?.type === 'cancel') this.#cancelled.push(trigger);
    if (decision.dropsSteps) this.#stepsDropped.push(row.id);
    if (decision.dropsXComs) this.#xcomsDropped.push(row);
    if (decision.result !== undefined) this.#results.push({ row, result: decision.result });
    if (attempt) {
      const { attempt: number, tryNumber, epoch, startedAt } = before;
      this.#attempts.push({
        taskInstanceId: row.id,
        attempt: number,
        tryNumber,
        epoch,
        startedAt,
        endedAt: row.now,
        runningMs: row.runningMs,
        deferredMs: row.deferredMs,
        error: row.error,
        ...attempt,
      });
    }
    if (callback && task?.callbacks.includes(callback)) {
      this.#callbacks.push({
        dagRunId: row.dagRunId,
        taskInstanceId: row.id,
        callback,
        facts: {
          state: row.state,
          tryNumber: before.tryNumber,
          attempt: row.attempt,
          error: row.error as (SerializedError & Json) | null,
        },
      });
    }
  }

  #insertTrigger(
    row: LockedTaskInstance,
    trigger: { classpath: string; kwargs: Json; notBefore?: string | { afterMs: number } },
    task: { queue: string; priorityWeight: number } | undefined,
  ): void {
    const { notBefore } = trigger;
    this.#triggers.push({
      taskInstanceId: row.id,
      classpath: trigger.classpath,
      kwargs: this.#options.cipher.encrypt(trigger.kwargs, 'trigger.kwargs'),
      notBefore:
        notBefore === undefined
          ? null
          : typeof notBefore === 'string'
            ? new Date(notBefore)
            : new Date(row.now.getTime() + notBefore.afterMs),
      queue: task?.queue ?? 'default',
      priorityWeight: task?.priorityWeight ?? 1,
    });
  }

  #nextKwargs(before: LockedTaskInstance, next: Decision['next']): Buffer | null {
    if (!next) return null;
    const { cipher } = this.#options;
    const stored =
      next.resume === NEXT_RESUME && before.nextKwargs
        ? (cipher.decrypt(before.nextKwargs, NEXT_PURPOSE) as { resume: Json })
        : { resume: next.resume as unknown as Json };
    return cipher.encrypt({ resume: stored.resume, event: next.event as unknown as Json }, NEXT_PURPOSE);
  }

  #patch(id: number, patch: Partial<TaskInstanceRow>): void {
    this.#rows.set(id, { ...this.#rows.get(id)!, ...patch });
  }

  async #writeSlots(): Promise<void> {
    const of = (kind: 'take' | 'release' | 'park') =>
      [...this.#slots]
        .filter(([, slot]) => slot === kind)
        .map(([id]) => id)
        .sort((a, b) => a - b);
    const [taken, released, parked] = [of('take'), of('release'), of('park')];
    if (taken.length > 0) {
      await takeSlots(
        this.#client,
        taken.map((id) => this.#rows.get(id)!).map((row) => ({ ...row, taskInstanceId: row.id })),
      );
    }
    if (released.length > 0) await releaseSlots(this.#client, released);
    if (parked.length > 0) await parkSlots(this.#client, parked);
  }
}

/** Changes that end a wait otherwise than by its trigger. */
const KILLS: ReadonlySet<TaskChange['type']> = new Set(['clear', 'stop', 'mark', 'end', 'timeOut']);
/** Changes to a running task that do not come from its worker. */
const INTERRUPTIONS: ReadonlySet<TaskChange['type']> = new Set(['clear', 'stop', 'mark', 'end', 'lose']);

export const NEXT_PURPOSE = 'task_instance.next_kwargs';

/** It would wait for ever, and nobody would know why. */
function refuseForPool({ id, epoch }: Extract<TaskChange, { type: 'queue' }>, pool: string): TaskChange {
  const reason = `Pool "${pool}" does not exist. Make it with: windhover pools set ${pool} <slots>, then clear the task.`;
  return { id, epoch, type: 'refuse', reason, isRetryable: false, code: 'pool_missing' };
}

/** A wake-up names its trigger; the trigger names the task. Null: it was claimed by somebody else, or is gone. */
function targetOf(change: TaskChange, triggers: ReadonlyMap<number, LockedTrigger>): number | null {
  if (change.type !== 'wake') return change.id;
  const trigger = triggers.get(change.triggerId);
  return trigger?.state === 'waiting' && trigger.leaseEpoch === change.leaseEpoch ? trigger.taskInstanceId : null;
}
