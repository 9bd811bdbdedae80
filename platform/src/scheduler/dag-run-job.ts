import { hostname } from 'node:os';
import { type Executor, type Logger, type TaskApi, taskWorkloadId, type Workload } from '@windhover/core';
import type { DagVersions } from '../dags/dag-versions.ts';
import { beginRun, endRun, type LockedRun, releaseRun, runsHandedTo } from '../store/dag-runs.ts';
import type { Database } from '../store/database.ts';
import { deadJobs, endJob, insertJob, renewJob } from '../store/jobs.ts';
import type { Notifications } from '../store/notifications.ts';
import { lastOffset, readTaskStates } from '../store/signal-log.ts';
import { getTaskInstances, insertTaskInstances } from '../store/task-instances.ts';
import type { ChangeWriter } from '../task-instances/change-writer.ts';
import type { TaskChange } from '../task-instances/task-change.ts';
import type { TaskInstanceRow } from '../task-instances/task-instance-row.ts';
import { OwnedRun } from './owned-run.ts';
import { planTasks, runOutcome } from './plan-dag-run.ts';

export interface DagRunJobOptions {
  readonly database: Database;
  readonly writer: ChangeWriter;
  readonly versions: DagVersions;
  readonly notifications: Notifications;
  readonly executor: Executor;
  /** The name under which tasks ask for it. */
  readonly executorName: string;
  readonly taskApi: TaskApi;
  readonly projectRoot: string;
  readonly log: Logger;
  /** How long a silent job keeps its runs. Default: 30 seconds. */
  readonly leaseMs?: number;
  /** The net below notifications and timers. Default: 1 second. */
  readonly pollMs?: number;
}

/**
 * Runs DagRuns: those that were handed to it by its lock id. Subclasses differ only in how they get their runs, in
 * `collectDagRuns`. While a job holds a run's lock it keeps the run's state in memory, decides by pure functions what
 * follows from each change, and does it in one thin loop.
 */
export class DagRunJob {
  /** Shown in the table of jobs. */
  readonly type: string = 'DagRunJob';
  protected readonly options: DagRunJobOptions;
  protected readonly runs = new Map<number, OwnedRun>();
  protected readonly leaseMs: number;
  #jobId = 0;
  #cursor = 0;
  #clockOffsetMs = 0;
  #heartbeatAt = 0;
  #isDue = true;
  #isStopped = false;
  #hasNewRuns = true;
  #hasNewLog = false;
  #wake = () => {};
  #loop: Promise<void> = Promise.resolve();
  readonly #unsubscribe: (() => void)[] = [];
  /** When something is due by the clock, by task instance. */
  readonly #timed = new Map<number, { run: OwnedRun; taskId: string; at: number }>();

  constructor(options: DagRunJobOptions) {
    this.options = options;
    this.leaseMs = options.leaseMs ?? 30_000;
  }

  get jobId(): number {
    return this.#jobId;
  }

  async start(): Promise<void> {
    const { database, executor, writer, notifications, log, projectRoot, taskApi } = this.options;
    this.#jobId = await insertJob(database, {
      type: this.type,
      hostname: hostname(),
      pid: process.pid,
      leaseMs: this.leaseMs,
    });
    this.#cursor = await lastOffset(database);
    await executor.start({
      log,
      projectRoot,
      taskApi,
      apiUrl: null,
      jobId: String(this.#jobId),
      wake: () => this.wake(),
    });
    this.#unsubscribe.push(
      writer.onCommitted((rows) => {
        for (const { row } of rows) this.#apply(row);
      }),
      notifications.on('windhover_log', () => {
        this.#hasNewLog = true;
        this.wake();
      }),
      notifications.on('windhover_run', () => {
        this.#hasNewRuns = true;
        this.wake();
      }),
    );
    this.#loop = this.#run();
  }

  /** Starts nothing more, waits for what runs, and hands its runs back. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.wake();
    await this.#loop;
    await this.options.executor.end();
    await this.options.writer.flush();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await endJob(this.options.database, this.#jobId);
  }

  /** Something may have to be done. */
  wake(): void {
    this.#isDue = true;
    this.#wake();
  }

  /** How far the runs it holds have got. */
  getProgress(): { readonly dagRuns: number; readonly tasks: number; readonly finished: number } {
    const rows = [...this.runs.values()].flatMap((run) => [...run.tasks.values()]);
    return {
      dagRuns: this.runs.size,
      tasks: rows.length,
      finished: rows.filter(({ endedAt }) => endedAt !== null).length,
    };
  }

  /** Takes up runs. Default: those that carry this job's lock id, which is how runs are handed to it. */
  protected async collectDagRuns(): Promise<void> {
    await this.submitDagRuns(await runsHandedTo(this.options.database, this.#jobId, [...this.runs.keys()]));
  }

  /** Executes runs whose lock this job holds. */
  protected async submitDagRuns(runs: readonly LockedRun[]): Promise<void> {
    for (const run of runs) await this.#own(run);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isDue = false;
      try {
        await this.#turn();
      } catch (error) {
        this.options.log.error(
          `The scheduler could not do its work and tries again: ${error instanceof Error ? error.message : error}`,
        );
        await new Promise((resolve) => setTimeout(resolve, 200));
        this.#hasNewRuns = true;
        this.#hasNewLog = true;
      }
      if (!this.#isDue && !this.#isStopped) await this.#sleep();
    }
  }

  async #turn(): Promise<void> {
    if (Date.now() >= this.#heartbeatAt) await this.#heartbeat();
    if (this.#hasNewRuns) {
      this.#hasNewRuns = false;
      await this.collectDagRuns();
    }
    if (this.#hasNewLog) {
      this.#hasNewLog = false;
      await this.#readLog();
    }
    await this.#takeExecutorEvents();
    await this.#takeTimers();
    await this.processDagRuns();
  }

  /** Decides what follows for tasks that have changed, queues what is ready, and ends runs that have ended. */
  protected async processDagRuns(): Promise<void> {
    const changes: TaskChange[] = [];
    for (const run of this.runs.values()) {
      if (run.candidates.size === 0) continue;
      const planned = planTasks(run.version, run.tasks, run.candidates, { now: this.#now() });
      run.candidates.clear();
      for (const { taskId, type } of planned) {
        const { id, epoch } = run.tasks.get(taskId)!;
        if (type === 'schedule') run.ready.add(taskId);
        else changes.push({ id, epoch, type });
      }
    }
    const queued = this.#queueReady();
    await Promise.all([...changes.map((change) => this.options.writer.submit(change)), ...queued]);
    for (const run of this.runs.values())
      if (run.candidates.size === 0 && run.ready.size === 0) await this.#endIfOver(run);
  }

  /** The most urgent first; resumed tasks before new ones of equal weight. Only as many as the executor can take. */
  #queueReady(): Promise<void>[] {
    const { executor } = this.options;
    const ready = [...this.runs.values()].flatMap((run) =>
      [...run.ready].map((taskId) => ({
        run,
        row: run.tasks.get(taskId)!,
        weight: run.version.weights.get(taskId) ?? 1,
      })),
    );
    if (ready.length === 0) return [];
    ready.sort(
      (a, b) =>
        b.weight - a.weight ||
        Number(b.row.nextMethod !== null) - Number(a.row.nextMethod !== null) ||
        a.row.id - b.row.id,
    );
    const slots = Math.min(ready.length, executor.openSlots);
    return [
      ...ready.slice(0, slots).map(({ run, row, weight }) => this.#queue(run, row, weight)),
      ...ready.slice(slots).map(async ({ run, row }) => {
        if (row.state === 'scheduled') return;
        const { answer } = await this.options.writer.submit({ id: row.id, epoch: row.epoch, type: 'schedule' });
        if (answer === 'stale') await this.#reload(run);
      }),
    ];
  }

  async #queue(run: OwnedRun, row: TaskInstanceRow, weight: number): Promise<void> {
    const { writer, executor, executorName } = this.options;
    const { answer, row: after } = await writer.submit({
      id: row.id,
      epoch: row.epoch,
      type: 'queue',
      jobId: this.#jobId,
      executor: executorName,
    });
    if (answer === 'stale') return this.#reload(run);
    // The dispatch follows the commit of `queued`: a scheduler that dies in between leaves a task that its successor finds.
    if (answer === 'applied') executor.queueWorkload(this.#workload(run, after!, weight));
  }

  #workload(run: OwnedRun, row: TaskInstanceRow, weight: number): Workload {
    const task = run.version.tasks.get(row.taskId);
    return {
      type: 'task',
      id: taskWorkloadId(String(row.id), row.epoch),
      token: '',
      priority: weight,
      queue: task?.queue ?? 'default',
      executorConfig: task?.executorConfig ?? {},
      taskInstanceId: String(row.id),
      epoch: row.epoch,
      key: { dagId: run.dagId, runId: run.runId, taskId: row.taskId, mapIndex: row.mapIndex },
      dagFile: run.dagFile,
    };
  }

  async #endIfOver(run: OwnedRun): Promise<void> {
    const isBlocked =
      !run.hasEnded && [...run.tasks.values()].every(({ state, endedAt }) => state === 'none' || endedAt !== null);
    if (!run.hasEnded && !isBlocked) return;
    const outcome = runOutcome(run.version, run.tasks);
    if (!outcome) return;
    this.runs.delete(run.id);
    if (await endRun(this.options.database, run.id, run.lockEpoch, outcome.state, outcome.reason)) {
      this.options.log.info(`DAG run ${run.dagId} / ${run.runId} has ended: ${outcome.state}`);
    }
    this.#hasNewRuns = true;
    this.wake();
  }

  async #own(locked: LockedRun): Promise<void> {
    const { database, versions } = this.options;
    const version = await versions.getOrLoad(database, locked.versionId);
    if (locked.state === 'queued') {
      const begun = await database.transaction((client) => beginRun(client, locked, version.dag.maxActiveRuns));
      if (!begun) return releaseRun(database, locked.id, locked.lockEpoch);
    }
    await insertTaskInstances(
      database,
      locked.id,
      version.dag.tasks.map((task) => ({ ...task, priorityWeight: version.weights.get(task.taskId) ?? 1 })),
    );
    const run = new OwnedRun({ ...locked, version }, await getTaskInstances(database, locked.id));
    this.runs.set(run.id, run);
    for (const row of run.tasks.values()) this.#watchClock(run, row);
    await this.#takeOver(run);
  }

  /** Tasks that were with a job which is over: its processes ended with it, within a second. */
  async #takeOver(run: OwnedRun): Promise<void> {
    const orphans = [...run.tasks.values()].filter(
      ({ state, queuedByJob }) => (state === 'queued' || state === 'running') && queuedByJob !== this.#jobId,
    );
    if (orphans.length === 0) return;
    const dead = await deadJobs(this.options.database, [
      ...new Set(orphans.map(({ queuedByJob }) => queuedByJob ?? 0)),
    ]);
    const lost = orphans.filter(({ queuedByJob }) => queuedByJob === null || dead.has(queuedByJob));
    await this.options.writer.submitAll(
      lost.map(({ id, epoch, queuedByJob }) => ({
        id,
        epoch,
        type: 'lose',
        reason: `its scheduler, job ${queuedByJob}, is gone`,
      })),
    );
  }

  async #reload(run: OwnedRun): Promise<void> {
    for (const row of await getTaskInstances(this.options.database, run.id)) this.#apply(row);
  }

  #apply(row: TaskInstanceRow): void {
    const run = this.runs.get(row.dagRunId);
    if (!run) return;
    run.apply(row);
    this.#watchClock(run, row);
    this.wake();
  }

  /** News that other processes have committed. */
  async #readLog(): Promise<void> {
    for (;;) {
      const news = await readTaskStates(this.options.database, this.#cursor, 1000);
      const changed = new Set<OwnedRun>();
      for (const { offset, dagRunId, taskInstanceId, version } of news) {
        this.#cursor = offset;
        const run = this.runs.get(dagRunId);
        const known = run && [...run.tasks.values()].find(({ id }) => id === taskInstanceId);
        if (run && (!known || known.signalVersion < version)) changed.add(run);
      }
      for (const run of changed) await this.#reload(run);
      if (news.length < 1000) return;
    }
  }

  /** The process around a workload is over. If its task has not told its end, it was lost. */
  async #takeExecutorEvents(): Promise<void> {
    const changes = this.options.executor.drainEvents().map((event): TaskChange => {
      const [, id, epoch] = event.workloadId.split(':').map(Number) as [number, number, number];
      switch (event.type) {
        case 'accepted':
          return { id, epoch, type: 'accept', externalId: event.externalId };
        case 'ended':
          return { id, epoch, type: 'lose', reason: 'its process ended without a report' };
        case 'lost':
          return { id, epoch, type: 'lose', reason: event.reason };
        default:
          return { id, epoch, type: 'refuse', reason: event.reason, isRetryable: event.isRetryable };
      }
    });
    // A task that has told its end has another epoch or state by now; the change is stale then, and nothing happens.
    await this.options.writer.submitAll(changes);
  }

  #watchClock(run: OwnedRun, row: TaskInstanceRow): void {
    const instants = row.state === 'deferred' ? [row.triggerTimeout, row.deadlineAt] : [row.resumeAt];
    const at = Math.min(...instants.map((instant) => instant?.getTime() ?? Number.POSITIVE_INFINITY));
    if (at === Number.POSITIVE_INFINITY) this.#timed.delete(row.id);
    else this.#timed.set(row.id, { run, taskId: row.taskId, at });
  }

  async #takeTimers(): Promise<void> {
    const now = this.#now().getTime();
    const changes: TaskChange[] = [];
    for (const [id, { run, taskId, at }] of this.#timed) {
      if (at > now) continue;
      this.#timed.delete(id);
      const row = run.tasks.get(taskId)!;
      if (row.state === 'deferred') changes.push({ id, epoch: row.epoch, type: 'timeOut' });
      else run.candidates.add(taskId);
    }
    await this.options.writer.submitAll(changes);
  }

  async #heartbeat(): Promise<void> {
    this.#heartbeatAt = Date.now() + this.leaseMs / 3;
    this.#hasNewRuns = true;
    this.#clockOffsetMs = (await renewJob(this.options.database, this.#jobId, this.leaseMs)).getTime() - Date.now();
    await this.options.executor.heartbeat();
  }

  /** The database's clock. */
  #now(): Date {
    return new Date(Date.now() + this.#clockOffsetMs);
  }

  async #sleep(): Promise<void> {
    const next = Math.min(
      ...[...this.#timed.values()].map(({ at }) => at - this.#clockOffsetMs),
      this.#heartbeatAt,
      Date.now() + (this.options.pollMs ?? 1000),
    );
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, next - Date.now()) + 1);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
