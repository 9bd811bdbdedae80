import { isTerminal } from '@windhover/core';
import type { DagVersion } from '../dags/dag-versions.ts';
import type { TaskInstanceRow } from '../task-instances/task-instance-row.ts';

/**
 * A run while a job holds its lock: its task instances in memory. That memory is a cache; others write rows too, and
 * the owner hears of it from the log. Versions of rows rise, so news may come in any order, and twice.
 */
export class OwnedRun {
  readonly id: number;
  readonly dagId: string;
  readonly runId: string;
  readonly dagFile: string;
  readonly lockEpoch: number;
  readonly version: DagVersion;
  readonly tasks = new Map<string, TaskInstanceRow>();
  /** Tasks that may have to change because of what has happened. */
  readonly candidates = new Set<string>();
  /** Tasks that are ready and wait for a slot. */
  readonly ready = new Set<string>();
  #unfinished = 0;

  constructor(
    facts: Pick<OwnedRun, 'id' | 'dagId' | 'runId' | 'dagFile' | 'lockEpoch' | 'version'>,
    rows: readonly TaskInstanceRow[],
  ) {
    this.id = facts.id;
    this.dagId = facts.dagId;
    this.runId = facts.runId;
    this.dagFile = facts.dagFile;
    this.lockEpoch = facts.lockEpoch;
    this.version = facts.version;
    for (const row of rows) {
      this.tasks.set(row.taskId, row);
      this.candidates.add(row.taskId);
      if (!isTerminal(row.state)) this.#unfinished += 1;
      if (row.state === 'scheduled') this.ready.add(row.taskId);
    }
  }

  /** Whether every task has ended: known without looking at all of them. */
  get hasEnded(): boolean {
    return this.#unfinished === 0;
  }

  /** Takes in a row as it was committed. Older news than what is known change nothing. */
  apply(row: TaskInstanceRow): void {
    const before = this.tasks.get(row.taskId);
    if (before && before.signalVersion > row.signalVersion) return;
    this.tasks.set(row.taskId, row);
    if (before) this.#unfinished += Number(!isTerminal(row.state)) - Number(!isTerminal(before.state));
    this.candidates.add(row.taskId);
    if (row.state === 'scheduled') this.ready.add(row.taskId);
    else this.ready.delete(row.taskId);
    if (isTerminal(row.state) || row.state === 'none') {
      for (const next of this.version.downstream.get(row.taskId) ?? []) this.candidates.add(next);
    }
  }
}
