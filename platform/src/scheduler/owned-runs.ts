import { isTerminal } from '@windhover/core';
import type { TaskInstanceRow } from '../task-instances/task-instance-row.ts';
import type { OwnedRun } from './owned-run.ts';
import { ReadyQueue } from './ready-queue.ts';
import { TimerQueue } from './timer-queue.ts';

/** What the clock has asked for. */
export type DueTimer =
  | { readonly type: 'task'; readonly run: OwnedRun; readonly row: TaskInstanceRow }
  /** The run has taken too long. */
  | { readonly type: 'runTimeout'; readonly run: OwnedRun }
  /** A task of a DAG with `failFast` has failed. */
  | { readonly type: 'failFast'; readonly run: OwnedRun; readonly taskId: string };

/** All that a job keeps in memory of its runs: which have changed, what is ready, what the clock will ask for. */
export class OwnedRuns {
  readonly byId = new Map<number, OwnedRun>();
  /** By the name of the executor. */
  readonly ready: ReadonlyMap<string, ReadyQueue>;
  readonly #jobId: () => number;
  readonly #defaultExecutor: string;
  readonly #timers = new TimerQueue<string>();
  #touched = new Set<OwnedRun>();
  #stalePasts = new Set<OwnedRun>();
  /** Runs whose tasks wait for the past, by the run before. */
  readonly #followers = new Map<number, Set<OwnedRun>>();
  /** Tasks that run for another job, by that job. */
  readonly #elsewhere = new Map<number, Map<number, OwnedRun>>();

  constructor(jobId: () => number, executorNames: Iterable<string>) {
    this.#jobId = jobId;
    this.ready = new Map([...executorNames].map((name) => [name, new ReadyQueue()]));
    [this.#defaultExecutor] = this.ready.keys() as unknown as [string];
  }

  add(run: OwnedRun, endsAt: number | null): void {
    this.byId.set(run.id, run);
    this.#touched.add(run);
    if (run.past) this.#followers.set(run.past.id, (this.#followers.get(run.past.id) ?? new Set()).add(run));
    if (endsAt !== null) this.#timers.set(`runTimeout:${run.id}`, endsAt);
    for (const row of run.tasks.values()) this.#watch(run, row);
    for (const taskId of run.ready) this.makeReady(run, taskId);
  }

  remove(run: OwnedRun): void {
    this.byId.delete(run.id);
    this.#timers.delete(`runTimeout:${run.id}`);
    for (const { id } of run.tasks.values()) this.#timers.delete(`task:${run.id}:${id}`);
    for (const tasks of this.#elsewhere.values()) for (const [id, owner] of tasks) if (owner === run) tasks.delete(id);
    if (run.past) this.#followers.get(run.past.id)?.delete(run);
  }

  /** A row as it was committed, of whatever run. */
  apply(row: TaskInstanceRow): void {
    this.pastChanged(row.dagRunId);
    const run = this.byId.get(row.dagRunId);
    if (run) this.#applyTo(run, row);
    if (isTerminal(row.state) || row.state === 'deferred' || row.state === 'up_for_retry') {
      for (const queue of this.ready.values()) queue.release(1, { pool: row.pool, dagId: run?.dagId ?? '' });
    }
  }

  /** A task of this run has changed, which may be the past of others. */
  pastChanged(dagRunId: number): void {
    for (const follower of this.#followers.get(dagRunId) ?? []) this.#stalePasts.add(follower);
  }

  touch(run: OwnedRun): void {
    this.#touched.add(run);
  }

  /** Runs in which something has changed since the last call. */
  takeTouched(): readonly OwnedRun[] {
    const touched = [...this.#touched].filter((run) => this.byId.has(run.id));
    this.#touched = new Set();
    return touched;
  }

  /** Runs whose past has changed since the last call. */
  takeStalePasts(): readonly OwnedRun[] {
    const stale = [...this.#stalePasts].filter((run) => this.byId.has(run.id));
    this.#stalePasts = new Set();
    return stale;
  }

  makeReady(run: OwnedRun, taskId: string): void {
    const { id, epoch, nextMethod } = run.tasks.get(taskId)!;
    run.ready.add(taskId);
    const wanted = run.version.tasks.get(taskId)?.executor;
    // One that is not configured: the default refuses it by name when its turn comes.
    const queue = (wanted && this.ready.get(wanted)) || this.ready.get(this.#defaultExecutor)!;
    const weight = run.version.weights.get(taskId) ?? 1;
    queue.push({ run, taskId, id, epoch, weight, isResumed: nextMethod !== null });
  }

  /** Infinity where the clock has nothing to ask for. */
  get nextAt(): number {
    return this.#timers.nextAt;
  }

  takeDue(now: number): readonly DueTimer[] {
    return this.#timers.takeDue(now).flatMap((name): DueTimer[] => {
      const [type, runId, subject] = name.split(':') as [DueTimer['type'], string, string?];
      const run = this.byId.get(Number(runId));
      if (!run) return [];
      if (type === 'task') return [{ type, run, row: run.byId(Number(subject))! }];
      return type === 'failFast' ? [{ type, run, taskId: subject! }] : [{ type, run }];
    });
  }

  /** Other jobs that have tasks of these runs. */
  get otherJobs(): readonly number[] {
    return [...this.#elsewhere].filter(([, tasks]) => tasks.size > 0).map(([jobId]) => jobId);
  }

  /** Tasks that another job has; it is over, so it has them no longer. */
  takeTasksOf(jobId: number): readonly TaskInstanceRow[] {
    const tasks = [...(this.#elsewhere.get(jobId) ?? [])].map(([id, run]) => run.byId(id)!);
    this.#elsewhere.delete(jobId);
    return tasks;
  }

  #applyTo(run: OwnedRun, row: TaskInstanceRow): void {
    const wasReady = run.ready.has(row.taskId);
    const before = run.apply(row);
    this.#touched.add(run);
    this.#watch(run, row);
    if (row.state === 'scheduled' && !wasReady) this.makeReady(run, row.taskId);
    const hasFailed = row.state === 'failed' && before?.state !== 'failed';
    if (hasFailed && run.version.dag.failFast) this.#timers.set(`failFast:${run.id}:${row.taskId}`, 0);
  }

  #watch(run: OwnedRun, row: TaskInstanceRow): void {
    const instants = row.state === 'deferred' ? [row.triggerTimeout, row.deadlineAt] : [row.resumeAt];
    const at = Math.min(...instants.map((instant) => instant?.getTime() ?? Number.POSITIVE_INFINITY));
    const name = `task:${run.id}:${row.id}`;
    if (at === Number.POSITIVE_INFINITY) this.#timers.delete(name);
    else this.#timers.set(name, at);
    const isOut = row.state === 'queued' || row.state === 'running';
    if (isOut && row.queuedByJob !== null && row.queuedByJob !== this.#jobId()) {
      const tasks = this.#elsewhere.get(row.queuedByJob) ?? new Map<number, OwnedRun>();
      this.#elsewhere.set(row.queuedByJob, tasks.set(row.id, run));
    } else if (this.#elsewhere.size > 0) {
      for (const tasks of this.#elsewhere.values()) tasks.delete(row.id);
    }
  }
}
