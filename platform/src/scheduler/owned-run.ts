import { isTerminal, type SerializedTask, type TaskInstanceState } from '@windhover/core';
import type { DagVersion } from '../dags/dag-versions.ts';
import type { LockedRun } from '../store/dag-runs.ts';
import type { TaskInstanceRow } from '../task-instances/task-instance-row.ts';

/** The run before, where tasks wait for it. */
export interface PastRun {
  readonly id: number;
  readonly isFinished: boolean;
  readonly states: ReadonlyMap<string, TaskInstanceState>;
}

/**
 * A run while a job holds its lock: its task instances in memory. That memory is a cache; others write rows too, and
 * the owner hears of it from the log. Versions of rows rise, so news may come in any order, and twice.
 *
 * Everything that is asked after each change is counted, not looked for: a finished task costs the same in a large DAG.
 */
export class OwnedRun {
  readonly id: number;
  readonly dagId: string;
  readonly runId: string;
  readonly lockEpoch: number;
  readonly logicalDate: Date;
  readonly version: DagVersion;
  dagFile: string;
  readonly tasks = new Map<string, TaskInstanceRow>();
  /** Tasks that may have to change because of what has happened. */
  readonly candidates = new Set<string>();
  /** Tasks that are ready and wait for a slot. */
  readonly ready = new Set<string>();
  past: PastRun | null = null;
  readonly #taskIds = new Map<number, string>();
  #unfinished = 0;
  #untouched = 0;

  constructor(locked: LockedRun, version: DagVersion, rows: readonly TaskInstanceRow[]) {
    this.id = locked.id;
    this.dagId = locked.dagId;
    this.runId = locked.runId;
    this.lockEpoch = locked.lockEpoch;
    this.logicalDate = locked.logicalDate;
    this.dagFile = locked.dagFile;
    this.version = version;
    for (const row of rows) this.#set(row, undefined);
    for (const { taskId } of rows) this.candidates.add(taskId);
  }

  /** Whether every task has ended. */
  get hasEnded(): boolean {
    return this.#unfinished === 0;
  }

  /** Whether nothing goes on: what has not ended has not begun either. */
  get isIdle(): boolean {
    return this.#unfinished === this.#untouched;
  }

  byId(taskInstanceId: number): TaskInstanceRow | undefined {
    const taskId = this.#taskIds.get(taskInstanceId);
    return taskId === undefined ? undefined : this.tasks.get(taskId);
  }

  /** Takes in a row as it was committed. Older news than what is known change nothing. Answers what was known before. */
  apply(row: TaskInstanceRow): TaskInstanceRow | undefined {
    const before = this.tasks.get(row.taskId);
    if (before && before.signalVersion > row.signalVersion) return before;
    this.#set(row, before);
    this.candidates.add(row.taskId);
    if (isTerminal(row.state) || row.state === 'none') {
      for (const next of this.version.downstream.get(row.taskId) ?? []) this.candidates.add(next);
    }
    return before;
  }

  /** `dependsOnPast`, `waitForDownstream`: a task waits for its predecessor in the run before, and for those below that one. */
  isHeldByPast(task: SerializedTask): boolean {
    if (!task.dependsOnPast || !this.past) return false;
    const { states, isFinished } = this.past;
    const before = [task.taskId, ...(task.waitForDownstream ? (this.version.downstream.get(task.taskId) ?? []) : [])];
    return before.some((taskId) => {
      const state = states.get(taskId);
      // A task that is new in this version has no past, once the run before is over.
      return state === undefined ? !isFinished : state !== 'success' && state !== 'skipped';
    });
  }

  #set(row: TaskInstanceRow, before: TaskInstanceRow | undefined): void {
    this.tasks.set(row.taskId, row);
    this.#taskIds.set(row.id, row.taskId);
    this.#unfinished += Number(!isTerminal(row.state)) - Number(before !== undefined && !isTerminal(before.state));
    this.#untouched += Number(row.state === 'none') - Number(before?.state === 'none');
    if (row.state === 'scheduled') this.ready.add(row.taskId);
    else this.ready.delete(row.taskId);
  }
}
