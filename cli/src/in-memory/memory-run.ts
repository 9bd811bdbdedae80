import {
  type Json,
  type KillReason,
  RETURN_VALUE,
  type SerializedDeferral,
  type SerializedError,
  type SerializedEvent,
  type SerializedResume,
  type SerializedTask,
  type SerializedTrigger,
  type StepRecord,
  type XComValue,
} from '@windhover/core';
import {
  type DagVersion,
  type Decision,
  decideChange,
  NEXT_RESUME,
  type TaskChange,
  type TaskInstanceRow,
} from '@windhover/platform';

/** What does not change while a run goes on. */
export interface RunFacts {
  readonly version: DagVersion;
  /** Relative to the project's root. */
  readonly dagFile: string;
  readonly runId: string;
  readonly logicalDate: Date;
  readonly conf: Readonly<Record<string, Json>>;
  readonly params: Readonly<Record<string, Json>>;
  /** Of the whole DAG: those that do not run here, too. */
  readonly taskIds: ReadonlySet<string>;
}

/** A row of the table of triggers. */
export interface MemoryTrigger {
  readonly id: number;
  readonly taskId: string;
  readonly trigger: SerializedTrigger;
  readonly createdAt: Date;
  readonly notBefore: Date | null;
  /** `waiting`, or why its task will not come back. */
  readonly state: 'waiting' | KillReason;
  readonly checkpoint: Json | null;
}

/** Where a task goes on, and with which event. */
export interface Next {
  readonly resume: SerializedResume;
  readonly event: SerializedEvent | null;
}

/** A row of the outbox: a function of the DAG file to be called because of a change. */
export interface MemoryCallback {
  readonly name: 'onFailure' | 'onSuccess' | 'onRetry';
  /** Null for the DAG's own. */
  readonly taskId: string | null;
  readonly state: string;
  readonly error: SerializedError | null;
  readonly tryNumber: number;
  readonly attempt: number;
}

/** One change of a task, as it was made. */
export interface MadeChange {
  readonly before: TaskInstanceRow;
  readonly row: TaskInstanceRow;
  readonly decision: Decision;
  /** The trigger that the task waits for now. */
  readonly trigger: MemoryTrigger | undefined;
  readonly at: Date;
}

/**
 * A run whose tables are maps. Each change of a task is decided by the platform's own `decideChange`, and what goes with
 * it is done as the platform's writer does it, so a task here passes through the same states.
 */
export class MemoryRun {
  readonly facts: RunFacts;
  /** By task id. */
  readonly rows: ReadonlyMap<string, TaskInstanceRow>;
  readonly triggers: ReadonlyMap<number, MemoryTrigger>;
  /** All that were ever asked for; the index is the id. */
  readonly callbacks: readonly MemoryCallback[];
  readonly #rows = new Map<string, TaskInstanceRow>();
  readonly #taskIds: readonly string[];
  readonly #triggers = new Map<number, MemoryTrigger>();
  readonly #next = new Map<string, Next>();
  readonly #steps = new Map<string, StepRecord[]>();
  readonly #xcoms = new Map<string, XComValue>();
  readonly #callbacks: MemoryCallback[] = [];
  readonly #onChange: (change: MadeChange) => void;
  #triggersMade = 0;

  constructor(facts: RunFacts, onChange: (change: MadeChange) => void) {
    this.facts = facts;
    this.rows = this.#rows;
    this.triggers = this.#triggers;
    this.callbacks = this.#callbacks;
    this.#onChange = onChange;
    this.#taskIds = [...facts.version.tasks.keys()];
    for (const [index, task] of [...facts.version.tasks.values()].entries())
      this.#rows.set(task.taskId, newRow(index + 1, task));
  }

  /** The row as it is afterwards; null: the change came too late, and nothing has happened. */
  submit(change: TaskChange): TaskInstanceRow | null {
    const before = this.rowOf(change.id);
    const at = new Date();
    const task = before && this.facts.version.tasks.get(before.taskId);
    const decision = before && decideChange(before, change, task, at);
    if (!before || !decision) return null;
    const { trigger, next } = decision;
    if (trigger && trigger.type !== 'insert') this.#leaveTrigger(trigger);
    const waits = trigger && 'deferral' in trigger ? this.#addTrigger(before.taskId, trigger.deferral, at) : undefined;
    const row = { ...decision.row, ...(waits && { triggerId: waits.id }) };
    this.#rows.set(row.taskId, row);
    if (next) this.#setNext(row.taskId, next);
    if (next === null) this.#next.delete(row.taskId);
    if (decision.dropsSteps) this.#steps.delete(row.taskId);
    if (decision.result) this.putXCom(row.taskId, RETURN_VALUE, decision.result);
    const { callback: name } = decision;
    if (name && task?.callbacks.includes(name))
      this.addCallback({ ...before, name, state: row.state, error: row.error });
    this.#onChange({ before, row, decision, trigger: waits, at });
    return row;
  }

  rowOf(id: number): TaskInstanceRow | undefined {
    return this.#rows.get(this.#taskIds[id - 1] ?? '');
  }

  nextOf(taskId: string): Next | undefined {
    return this.#next.get(taskId);
  }

  stepsOf(taskId: string): readonly StepRecord[] {
    return this.#steps.get(taskId) ?? [];
  }

  putStep(taskId: string, record: StepRecord): void {
    const others = this.stepsOf(taskId).filter(
      ({ hop, sequence }) => hop !== record.hop || sequence !== record.sequence,
    );
    this.#steps.set(taskId, [...others, record]);
  }

  xcom(taskId: string, key: string): XComValue {
    return this.#xcoms.get(xcomName(taskId, key)) ?? { type: 'none' };
  }

  putXCom(taskId: string, key: string, value: XComValue): void {
    this.#xcoms.set(xcomName(taskId, key), value);
  }

  patchTrigger(id: number, patch: Pick<MemoryTrigger, 'checkpoint'>): void {
    const known = this.#triggers.get(id);
    if (known) this.#triggers.set(id, { ...known, ...patch });
  }

  /** Its `onKill` is done. */
  removeTrigger(id: number): void {
    this.#triggers.delete(id);
  }

  addCallback({ name, taskId, state, error, tryNumber, attempt }: MemoryCallback): void {
    this.#callbacks.push({ name, taskId, state, error, tryNumber, attempt });
  }

  #setNext(taskId: string, next: Next): void {
    const { resume } = next.resume === NEXT_RESUME ? this.#next.get(taskId)! : next;
    this.#next.set(taskId, { resume, event: next.event });
  }

  #addTrigger(taskId: string, { trigger }: SerializedDeferral, createdAt: Date): MemoryTrigger {
    this.#triggersMade += 1;
    const added: MemoryTrigger = {
      id: this.#triggersMade,
      taskId,
      trigger,
      createdAt,
      notBefore: notBeforeOf(trigger, createdAt),
      state: 'waiting',
      checkpoint: null,
    };
    this.#triggers.set(added.id, added);
    return added;
  }

  #leaveTrigger(change: Exclude<NonNullable<Decision['trigger']>, { type: 'insert' }>): void {
    const known = this.#triggers.get(change.triggerId);
    if (known && change.type === 'cancel') this.#triggers.set(known.id, { ...known, state: change.reason });
    else this.#triggers.delete(change.triggerId);
  }
}

function notBeforeOf({ notBefore }: SerializedTrigger, createdAt: Date): Date | null {
  if (notBefore === undefined) return null;
  return typeof notBefore === 'string' ? new Date(notBefore) : new Date(createdAt.getTime() + notBefore.afterMs);
}

function xcomName(taskId: string, key: string): string {
  return JSON.stringify([taskId, key]);
}

function newRow(id: number, { taskId, pool, poolSlots }: SerializedTask): TaskInstanceRow {
  return {
    id,
    dagRunId: 1,
    taskId,
    mapIndex: -1,
    pool,
    poolSlots,
    state: 'none',
    tryNumber: 1,
    attempt: 1,
    epoch: 0,
    signalVersion: 0,
    executor: null,
    externalId: null,
    queuedByJob: null,
    requestedAction: null,
    triggerId: null,
    triggerTimeout: null,
    onTimeout: null,
    nextMethod: null,
    nextKwargs: null,
    resumeAt: null,
    deadlineAt: null,
    sensorStartedAt: null,
    scheduledAt: null,
    queuedAt: null,
    startedAt: null,
    runningSince: null,
    deferredSince: null,
    endedAt: null,
    runningMs: 0,
    queuedMs: 0,
    deferredMs: 0,
    hostname: null,
    pid: null,
    error: null,
  };
}
