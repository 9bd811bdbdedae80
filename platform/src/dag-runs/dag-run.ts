import { assertDagRunTransition, type DagRunState, type Json, resolveParams } from '@windhover/core';
import type { DagRunJob } from '../scheduler/dag-run-job.ts';
import { getRunProgress, type RunProgress } from '../store/backfills.ts';
import { findRun, lockRun, type StoredRun, setRunConf } from '../store/dag-runs.ts';
import { DagRunNotFoundError } from './dag-run-not-found-error.ts';
import type { ActionStore } from './select-tasks.ts';
import { setDagRunState } from './set-dag-run-state.ts';

/** One run of a DAG, for programs that look after runs themselves. What it knows is from when it was last read. */
export class DagRun {
  readonly #store: ActionStore;
  #run: StoredRun;

  private constructor(store: ActionStore, run: StoredRun) {
    this.#store = store;
    this.#run = run;
  }

  static async find(store: ActionStore, dagId: string, runId: string): Promise<DagRun> {
    const run = await findRun(store.database, dagId, runId);
    if (!run) throw new DagRunNotFoundError(dagId, runId);
    return new DagRun(store, run);
  }

  get id(): number {
    return this.#run.id;
  }

  get dagId(): string {
    return this.#run.dagId;
  }

  get runId(): string {
    return this.#run.runId;
  }

  get logicalDate(): Date {
    return this.#run.logicalDate;
  }

  get state(): DagRunState {
    return this.#run.state;
  }

  /** Null while nobody executes it. */
  get lockId(): number | null {
    return this.#run.lockId;
  }

  get conf(): Readonly<Record<string, Json>> {
    return this.#run.conf;
  }

  async refresh(): Promise<this> {
    const run = await findRun(this.#store.database, this.dagId, this.runId);
    if (!run) throw new DagRunNotFoundError(this.dagId, this.runId);
    this.#run = run;
    return this;
  }

  /** Hands it to a job, which then executes it. False where another job holds it, or it has ended. */
  async lock(job: Pick<DagRunJob, 'jobId'>, leaseMs = 30_000): Promise<boolean> {
    const epoch = await lockRun(this.#store.database, this.id, { jobId: job.jobId, leaseMs });
    await this.refresh();
    return epoch !== null;
  }

  /** Whoever holds it lets go of it; any scheduler may then execute it. */
  async unlock(): Promise<void> {
    await lockRun(this.#store.database, this.id, null);
    await this.refresh();
  }

  /** Has a job execute it, and tells how far it has got so far. It does not wait for the end. */
  async run(job: DagRunJob): Promise<RunProgress> {
    await job.submitDagRuns([this]);
    return this.progress();
  }

  progress(): Promise<RunProgress> {
    return getRunProgress(this.#store.database, this.id);
  }

  /** Ends it by a word: see `setDagRunState`. */
  async setState(state: 'success' | 'failed'): Promise<void> {
    assertDagRunTransition(this.state, state, `DAG run ${this.dagId} / ${this.runId}`);
    await setDagRunState(this.#store, this, state);
    await this.refresh();
  }

  /** Tasks that start from now on see it. */
  async setConf(conf: Readonly<Record<string, Json>>): Promise<void> {
    const { database, versions } = this.#store;
    const { dag } = await versions.getOrLoad(database, this.#run.versionId);
    resolveParams(this.dagId, dag.params, conf);
    await setRunConf(database, this.id, conf);
    await this.refresh();
  }
}
