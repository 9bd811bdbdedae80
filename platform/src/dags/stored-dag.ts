import type { SerializedDag } from '@windhover/core';
import { DagNotFoundError } from '../dag-runs/dag-not-found-error.ts';
import type { ActionStore } from '../dag-runs/select-tasks.ts';
import { runOutcome } from '../scheduler/plan-dag-run.ts';
import { abandonedRuns, endRun } from '../store/dag-runs.ts';
import { currentDag } from '../store/new-dag-runs.ts';
import { getTaskInstances } from '../store/task-instances.ts';
import { dateRange } from '../timetables/date-range.ts';
import { onSchedule } from '../timetables/on-schedule.ts';
import { type ScheduledDagRun, scheduleDagRuns } from './schedule-dag-runs.ts';

/** A DAG as the platform has it, for programs that schedule by themselves. */
export class StoredDag {
  readonly #store: ActionStore;
  readonly serialized: SerializedDag;

  private constructor(store: ActionStore, serialized: SerializedDag) {
    this.#store = store;
    this.serialized = serialized;
  }

  static async find(store: ActionStore, dagId: string): Promise<StoredDag> {
    const found = await currentDag(store.database, dagId);
    if (!found) throw new DagNotFoundError(dagId);
    return new StoredDag(store, found.serialized);
  }

  get dagId(): string {
    return this.serialized.dagId;
  }

  /** Whether a date is one of its logical dates. */
  onSchedule(date: Date): boolean {
    return onSchedule(this.serialized.schedule, this.#startDate, date);
  }

  /** Its logical dates from one to another, both included. */
  dateRange(start: Date, end: Date): Date[] {
    return dateRange(this.serialized.schedule, start, end, this.#startDate ?? start);
  }

  /** Creates the run that its schedule asks for by now, if there is one; some job executes it. */
  async scheduleDag(): Promise<ScheduledDagRun | null> {
    const [made] = await scheduleDagRuns(this.#store, [this.dagId]);
    return made ?? null;
  }

  /** Ends runs whose tasks have all ended while no job looked after them. Answers their ids. */
  async updateDagRunStates(): Promise<readonly string[]> {
    const { database, versions } = this.#store;
    const ended: string[] = [];
    for (const { id, runId, versionId, lockEpoch } of await abandonedRuns(database, this.dagId)) {
      const version = await versions.getOrLoad(database, versionId);
      const tasks = new Map((await getTaskInstances(database, id)).map((row) => [row.taskId, row]));
      const outcome = tasks.size === 0 ? null : runOutcome(version, tasks);
      if (!outcome || [...tasks.values()].some(({ endedAt }) => endedAt === null)) continue;
      const callback = outcome.state === 'success' ? 'onSuccess' : 'onFailure';
      const answer = await endRun(database, {
        ...outcome,
        id,
        lockEpoch,
        callback: version.dag.callbacks.includes(callback) ? callback : null,
        maxConsecutiveFailedRuns: version.dag.maxConsecutiveFailedRuns,
        evenIfUnfinished: false,
      });
      if (answer === 'ended') ended.push(runId);
    }
    return ended;
  }

  get #startDate(): Date | null {
    return this.serialized.startDate === null ? null : new Date(this.serialized.startDate);
  }
}
