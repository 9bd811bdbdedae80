import {
  type Executor,
  type ExecutorHost,
  isTerminal,
  type Logger,
  type LogStore,
  type TaskApi,
} from '@windhover/core';
import type { DagVersions } from '../dags/dag-versions.ts';
import { releaseCallbacksOfDeadJobs } from '../store/callbacks.ts';
import {
  beginRun,
  endRun,
  type LockedRun,
  lockRun,
  previousRunId,
  releaseRun,
  runsHandedTo,
} from '../store/dag-runs.ts';
import type { Database } from '../store/database.ts';
import { insertDeadlines } from '../store/new-dag-runs.ts';
import type { Notifications } from '../store/notifications.ts';
import { lastOffset, readTaskStates } from '../store/signal-log.ts';
import { getPastRun, getTaskInstances, getTaskInstancesById, insertTaskInstances } from '../store/task-instances.ts';
import type { ChangeWriter } from '../task-instances/change-writer.ts';
import type { TaskChange } from '../task-instances/task-change.ts';
import type { TaskInstanceRow } from '../task-instances/task-instance-row.ts';
import { dispatchOthers, takeExecutorEvents } from './executor-work.ts';
import { JobLease } from './job-lease.ts';
import { OwnedRun, type PastRun } from './owned-run.ts';
import { OwnedRuns } from './owned-runs.ts';
import { planTasks, type RunOutcome, runOutcome } from './plan-dag-run.ts';
import type { ReadyQueue, ReadyTask } from './ready-queue.ts';
import { tellTaskLogs } from './tell-task-log.ts';
import { taskWorkload } from './workloads.ts';

export interface DagRunJobOptions {
  readonly database: Database;
  readonly writer: ChangeWriter;
  readonly versions: DagVersions;
  readonly notifications: Notifications;
  /** By the name under which tasks ask for them; the first takes what asks for none. */
  readonly executors: ReadonlyMap<string, Executor>;
  readonly taskApi: TaskApi;
  readonly projectRoot: string;
  readonly log: Logger;
  /** Of tasks: what happens to them without their doing is told there. */
  readonly logStore: LogStore;
  /** Where workers on other machines reach the execution API. Default: null, it is not served. */
  readonly apiUrl?: string | null;
  /** How tasks keep large results, and how large. Default: in the store, up to 1 MB. */
  readonly xcom?: Pick<ExecutorHost, 'xcomBackend' | 'xcomLimitBytes'>;
  /** How long a silent job keeps its runs. Default: 30 seconds. */
  readonly leaseMs?: number;
  /** How often it says that it lives. Default: a third of the lease. */
  readonly heartbeatMs?: number;
  /** The net below notifications and timers. Default: 1 second. */
  readonly pollMs?: number;
  /** Stops by itself after so many rounds of its loop. Default: never. */
  readonly numRuns?: number;
  /** Looks at all DAGs anew every so many rounds, beside what notifications tell. Default: 100. */
  readonly refreshDagsEvery?: number;
}

/**
 * Runs DagRuns: those that were handed to it by its lock id. Subclasses differ only in how they get their runs. While a
 * job holds a run's lock it keeps the run's state in memory, decides by pure functions what follows from each change,
 * and does it in one thin loop: refresh DAGs, collect runs, process them, look after deadlines, say that it lives.
 *
 * ```ts
 * class NightlyJob extends DagRunJob {
 *   override readonly type = 'NightlyJob';
 *   protected override async collectDagRuns() {
 *     await this.submitDagRuns(await nightlyRuns());
 *     await super.collectDagRuns();
 *   }
 * }
 * ```
 */
export class DagRunJob {
  /** Shown in the table of jobs. */
  readonly type: string = 'DagRunJob';
  protected readonly options: DagRunJobOptions;
  readonly #lease: JobLease;
  readonly #owned: OwnedRuns;
  readonly #heartbeatMs: number;
  readonly #unsubscribe: (() => void)[] = [];
  #cursor = 0;
  #heartbeatAt = 0;
  #rounds = 0;
  #isDue = true;
  #isStopping = false;
  #isOver = false;
  #hasNewRuns = true;
  #hasNewLog = false;
  #hasNewDags = true;
  #wake = () => {};
  #loop: Promise<void> = Promise.resolve();

  constructor(options: DagRunJobOptions) {
    this.options = options;
    this.#lease = new JobLease(options.database, options.leaseMs ?? 30_000);
    this.#owned = new OwnedRuns(() => this.jobId, options.executors.keys());
    this.#heartbeatMs = options.heartbeatMs ?? this.leaseMs / 3;
  }

  get jobId(): number {
    return this.#lease.jobId;
  }

  /** Whether it takes nothing up any more. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  async start(): Promise<void> {
    const { database, executors, writer, notifications, log, projectRoot, taskApi, apiUrl = null, xcom } = this.options;
    await this.#lease.begin(this.type);
    this.#cursor = await lastOffset(database);
    const jobId = String(this.jobId);
    const host: ExecutorHost = { ...xcom, log, projectRoot, taskApi, apiUrl, jobId, wake: () => this.wake() };
    await Promise.all([...executors.values()].map((executor) => executor.start(host)));
    this.#unsubscribe.push(
      writer.onCommitted((rows) => this.#apply(rows.map(({ row }) => row))),
      notifications.on('windhover_log', () => {
        this.#hasNewLog = true;
        this.wake();
      }),
      notifications.on('windhover_run', () => this.lookForRuns()),
      notifications.on('windhover_dag', () => {
        this.#hasNewDags = true;
        this.lookForRuns();
      }),
    );
    this.#loop = this.#run();
  }

  /** Takes nothing more up, waits for what runs, and hands its runs back. What runs longer than `graceMs` is ended. */
  async stop({ graceMs = Number.POSITIVE_INFINITY }: { readonly graceMs?: number } = {}): Promise<void> {
    if (this.#isOver) return;
    this.#isStopping = true;
    const executors = [...this.options.executors.values()];
    // The loop goes on meanwhile: leases are kept, and what ends is written down.
    await within(graceMs, Promise.all(executors.map((executor) => executor.end())));
    await Promise.all(executors.map((executor) => executor.terminate()));
    this.#isOver = true;
    this.wake();
    await this.#loop;
    await this.#takeExecutorEvents();
    await this.options.writer.flush();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#lease.end();
  }

  /** Resolves when its loop has ended: after `stop`, after `numRuns` rounds, or when a subclass is done. */
  async whenOver(): Promise<void> {
    await this.#loop;
  }

  /** Something may have to be done. */
  wake(): void {
    this.#isDue = true;
    this.#wake();
  }

  /** There may be runs to take up. */
  lookForRuns(): void {
    this.#hasNewRuns = true;
    this.wake();
  }

  /** How far the runs it holds have got. */
  getProgress(): { readonly dagRuns: number; readonly tasks: number; readonly finished: number } {
    const rows = [...this.runs.values()].flatMap((run) => [...run.tasks.values()]);
    const finished = rows.filter(({ state }) => isTerminal(state)).length;
    return { dagRuns: this.runs.size, tasks: rows.length, finished };
  }

  /** Hands runs to this job, if nobody else executes them: `collectDagRuns` then takes them up. */
  async submitDagRuns(runs: readonly { readonly id: number }[]): Promise<void> {
    const lock = { jobId: this.jobId, leaseMs: this.leaseMs };
    for (const { id } of runs) if (!this.runs.has(id)) await lockRun(this.options.database, id, lock);
    this.lookForRuns();
  }

  /** The runs it executes. */
  protected get runs(): ReadonlyMap<number, OwnedRun> {
    return this.#owned.byId;
  }

  protected get leaseMs(): number {
    return this.#lease.leaseMs;
  }

  /** Takes up runs. Default: those that carry this job's lock id, which is how runs are handed to it. */
  protected async collectDagRuns(): Promise<void> {
    await this.takeUp(await runsHandedTo(this.options.database, this.jobId, [...this.runs.keys()]));
  }

  /** Executes runs whose lock this job holds. */
  protected async takeUp(runs: readonly LockedRun[]): Promise<void> {
    for (const run of runs) await this.#own(run);
  }

  /** DAGs may have moved to other files. A full one forgets what is known of versions too. */
  protected async refreshDags(full: boolean): Promise<void> {
    const { database, versions } = this.options;
    if (full) versions.forgetUnused(new Set([...this.runs.values()].map(({ version }) => version.id)));
    const files = await versions.filesOf(database, new Set([...this.runs.values()].map(({ dagId }) => dagId)));
    for (const run of this.runs.values()) run.dagFile = files.get(run.dagId) ?? run.dagFile;
  }

  /** Decides what follows for tasks that have changed, queues what is ready, and ends runs that have ended. */
  protected async processDagRuns(): Promise<void> {
    await this.#refreshPasts();
    const touched = this.#owned.takeTouched();
    const changes: TaskChange[] = [];
    const made: { readonly run: OwnedRun; readonly taskId: string }[] = [];
    for (const run of touched) {
      const isHeldByPast = (task: Parameters<OwnedRun['isHeldByPast']>[0]) => run.isHeldByPast(task);
      const planned = planTasks(run.version, run.tasks, run.candidates, { now: this.now(), isHeldByPast });
      run.candidates.clear();
      for (const { taskId, type } of planned) {
        const { id, epoch } = run.tasks.get(taskId)!;
        if (type !== 'schedule') changes.push({ id, epoch, type });
        else if (!run.ready.has(taskId)) {
          this.#owned.makeReady(run, taskId);
          made.push({ run, taskId });
        }
      }
    }
    await Promise.all([this.options.writer.submitAll(changes), this.prioritizeQueued()]);
    await this.#showWaiting(made);
    for (const run of touched)
      if (run.candidates.size === 0 && run.ready.size === 0 && run.isIdle) await this.#endIfOver(run);
  }

  /** Queues ready tasks of all its runs in the order of their weights, as many as executors have room for. */
  protected async prioritizeQueued(): Promise<void> {
    if (this.#isStopping) return;
    const queued: Promise<void>[] = [];
    for (const [name, queue] of this.#owned.ready) {
      const { openSlots, readAhead = 0 } = this.options.executors.get(name)!;
      for (const task of queue.take(openSlots + readAhead)) queued.push(this.#queue(task, name, queue));
    }
    await Promise.all(queued);
  }

  /** Things that the clock asks for beside tasks. Default: nothing. */
  protected async manageDeadlines(): Promise<void> {}

  /** When `manageDeadlines` or `collectDagRuns` has to be called next, by the clock. Default: never. */
  protected get nextInstantMs(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** Whether it has nothing more to do, ever. Default: never. */
  protected get isDone(): boolean {
    return false;
  }

  /** The database's clock. */
  protected now(): Date {
    return new Date(Date.now() + this.#lease.clockOffsetMs);
  }

  async #run(): Promise<void> {
    const { numRuns = Number.POSITIVE_INFINITY, log } = this.options;
    while (!this.#isOver && this.#rounds < numRuns) {
      this.#isDue = false;
      try {
        await this.#round();
        if (this.isDone && this.runs.size === 0) return;
      } catch (error) {
        log.error(
          `The ${this.type} could not do its work and tries again: ${error instanceof Error ? error.message : error}`,
        );
        await new Promise((resolve) => setTimeout(resolve, 200));
        this.#hasNewRuns = true;
        this.#hasNewLog = true;
      }
      this.#rounds += 1;
      if (!this.#isDue && !this.#isOver) await this.#sleep();
    }
  }

  async #round(): Promise<void> {
    if (Date.now() >= this.#heartbeatAt) await this.#heartbeat();
    const isFull = this.#rounds % (this.options.refreshDagsEvery ?? 100) === 0;
    if (this.#hasNewDags || isFull) {
      this.#hasNewDags = false;
      await this.refreshDags(isFull);
    }
    if (!this.#isStopping && (this.#hasNewRuns || this.nextInstantMs <= this.now().getTime())) {
      this.#hasNewRuns = false;
      await this.manageDeadlines();
      await this.collectDagRuns();
      await dispatchOthers(this.options.database, this.jobId, this.options.executors);
    }
    if (this.#hasNewLog) {
      this.#hasNewLog = false;
      await this.#readLog();
    }
    await this.#takeExecutorEvents();
    await this.#takeTimers();
    await this.processDagRuns();
  }

  /** Those for whom there was no place at once are `scheduled`, for everybody to see; the others went straight on. */
  async #showWaiting(made: readonly { readonly run: OwnedRun; readonly taskId: string }[]): Promise<void> {
    const waiting = made
      .filter(({ run, taskId }) => run.ready.has(taskId))
      .map(({ run, taskId }) => run.tasks.get(taskId)!)
      .filter(({ state }) => state !== 'scheduled');
    await this.options.writer.submitAll(waiting.map(({ id, epoch }) => ({ id, epoch, type: 'schedule' })));
  }

  async #queue(task: ReadyTask, executorName: string, queue: ReadyQueue): Promise<void> {
    const { writer, executors } = this.options;
    const { run, taskId, id, epoch } = task;
    const wanted = run.version.tasks.get(taskId)?.executor ?? executorName;
    const known = [...executors.keys()];
    const change: TaskChange = known.includes(wanted)
      ? { id, epoch, type: 'queue', jobId: this.jobId, executor: executorName }
      : {
          id,
          epoch,
          type: 'refuse',
          reason: `Executor "${wanted}" is not configured. Name it in windhover.config.ts; there are: ${known.join(', ')}.`,
          isRetryable: false,
        };
    const { answer, row } = await writer.submit(change);
    if (answer === 'stale') return this.#reload([id]);
    if (answer === 'noSlot') return queue.setAside({ ...task, epoch: row!.epoch }, row!.pool);
    // The dispatch follows the commit of `queued`: a scheduler that dies in between leaves a task that its successor finds.
    if (row!.state === 'queued' && !this.#isStopping)
      executors.get(executorName)!.queueWorkload(taskWorkload(run, row!));
  }

  async #endIfOver(run: OwnedRun): Promise<void> {
    const outcome = runOutcome(run.version, run.tasks, { isHeldByPast: (task) => run.isHeldByPast(task) });
    if (outcome) await this.#end(run, outcome, !run.hasEnded);
  }

  async #end(run: OwnedRun, outcome: RunOutcome, evenIfUnfinished: boolean): Promise<void> {
    const { database, writer, log } = this.options;
    const { callbacks, maxConsecutiveFailedRuns } = run.version.dag;
    const callback = outcome.state === 'success' ? 'onSuccess' : 'onFailure';
    const answer = await endRun(database, {
      ...outcome,
      id: run.id,
      lockEpoch: run.lockEpoch,
      callback: callbacks.includes(callback) ? callback : null,
      maxConsecutiveFailedRuns,
      evenIfUnfinished,
    });
    if (answer === 'unfinished') return this.#reload([...run.tasks.values()].map(({ id }) => id));
    this.#owned.remove(run);
    if (answer === 'lost') return;
    log.info(`DAG run ${run.dagId} / ${run.runId} has ended: ${outcome.state} (${outcome.reason})`);
    const open = [...run.tasks.values()].filter(({ state }) => !isTerminal(state));
    if (open.length > 0) await writer.submitAll(open.map(({ id }) => ({ id, type: 'end', state: 'stopped' })));
    this.lookForRuns();
  }

  async #own(locked: LockedRun): Promise<void> {
    const { database, versions } = this.options;
    const version = await versions.getOrLoad(database, locked.versionId);
    let { startedAt } = locked;
    if (locked.state === 'queued') {
      startedAt = await database.transaction(async (client) => {
        const begun = await beginRun(client, locked, version.dag.maxActiveRuns);
        if (begun) await insertDeadlines(client, locked.id, version.dag.deadlines, { startedAt: begun });
        return begun;
      });
      if (!startedAt) return releaseRun(database, locked.id, locked.lockEpoch);
    }
    await insertTaskInstances(
      database,
      locked.id,
      version.dag.tasks.map((task) => ({ ...task, priorityWeight: version.weights.get(task.taskId) ?? 1 })),
    );
    const run = new OwnedRun(locked, version, await getTaskInstances(database, locked.id));
    run.past = await this.#pastOf(run);
    const { dagRunTimeoutMs } = version.dag;
    this.#owned.add(run, dagRunTimeoutMs === null ? null : startedAt!.getTime() + dagRunTimeoutMs);
    await this.#takeOver();
  }

  async #pastOf(run: OwnedRun): Promise<PastRun | null> {
    const { database } = this.options;
    if (!run.version.dag.tasks.some(({ dependsOnPast }) => dependsOnPast)) return null;
    const id = await previousRunId(database, run.dagId, run.logicalDate);
    return id === null ? null : getPastRun(database, id);
  }

  async #refreshPasts(): Promise<void> {
    for (const run of this.#owned.takeStalePasts()) {
      run.past = await getPastRun(this.options.database, run.past!.id);
      for (const { taskId, dependsOnPast } of run.version.dag.tasks) if (dependsOnPast) run.candidates.add(taskId);
      this.#owned.touch(run);
    }
  }

  /** Tasks that run for a job which is over: its processes ended with it, within a second. */
  async #takeOver(): Promise<void> {
    const { otherJobs } = this.#owned;
    if (otherJobs.length === 0) return;
    const changes: TaskChange[] = [];
    for (const jobId of await this.#lease.deadAmong(otherJobs)) {
      const reason = `its scheduler, job ${jobId}, is gone`;
      for (const { id, epoch } of this.#owned.takeTasksOf(jobId)) changes.push({ id, epoch, type: 'lose', reason });
    }
    await this.#submitAndTell(changes);
  }

  /** Changes that come from neither the task nor a user. */
  async #submitAndTell(changes: readonly TaskChange[]): Promise<void> {
    if (changes.length === 0) return;
    const { writer, logStore } = this.options;
    await tellTaskLogs(logStore, changes, await writer.submitAll(changes));
  }

  async #reload(ids: readonly number[]): Promise<void> {
    this.#apply(await getTaskInstancesById(this.options.database, ids));
  }

  #apply(rows: readonly TaskInstanceRow[]): void {
    for (const row of rows) this.#owned.apply(row);
    this.wake();
  }

  /** News that other processes have committed. */
  async #readLog(): Promise<void> {
    for (;;) {
      const news = await readTaskStates(this.options.database, this.#cursor, 1000);
      const changed = new Set<number>();
      for (const { offset, dagRunId, taskInstanceId, version } of news) {
        this.#cursor = offset;
        this.#owned.pastChanged(dagRunId);
        const run = this.runs.get(dagRunId);
        // Of runs that others hold only this much matters: a place may have become free.
        if (!run) for (const queue of this.#owned.ready.values()) queue.release(1);
        const known = run?.byId(taskInstanceId);
        if (run && (!known || known.signalVersion < version)) changed.add(taskInstanceId);
      }
      if (changed.size > 0) await this.#reload([...changed]);
      if (news.length < 1000) return;
    }
  }

  async #takeExecutorEvents(): Promise<void> {
    const { database, executors } = this.options;
    await this.#submitAndTell(await takeExecutorEvents(database, executors.values()));
  }

  async #takeTimers(): Promise<void> {
    const changes: TaskChange[] = [];
    for (const due of this.#owned.takeDue(this.now().getTime())) {
      const { run } = due;
      if (due.type === 'runTimeout') {
        const reason = `timed out: it took longer than ${run.version.dag.dagRunTimeoutMs} ms`;
        await this.#end(run, { state: 'failed', reason }, true);
      } else if (due.type === 'failFast') {
        await this.#end(run, { state: 'failed', reason: `failed: ${due.taskId}; the DAG has failFast` }, true);
      } else {
        const { id, epoch, state, taskId } = due.row;
        if (state === 'deferred') changes.push({ id, epoch, type: 'timeOut' });
        else run.candidates.add(taskId);
        this.#owned.touch(run);
      }
    }
    await this.#submitAndTell(changes);
  }

  async #heartbeat(): Promise<void> {
    const { database, executors, log } = this.options;
    this.#heartbeatAt = Date.now() + this.#heartbeatMs;
    this.#hasNewRuns = true;
    const held = await this.#lease.renew();
    for (const run of this.runs.values()) {
      if (held.has(run.id)) continue;
      log.warning(`This ${this.type} has lost DAG run ${run.dagId} / ${run.runId} to another job.`);
      this.#owned.remove(run);
    }
    await this.#takeOver();
    await releaseCallbacksOfDeadJobs(database);
    // The net below the notes that places have become free.
    for (const queue of this.#owned.ready.values()) queue.release(Number.POSITIVE_INFINITY);
    await Promise.all([...executors.values()].map((executor) => executor.heartbeat()));
  }

  async #sleep(): Promise<void> {
    const byClock = Math.min(this.#owned.nextAt, this.nextInstantMs) - this.#lease.clockOffsetMs;
    const next = Math.min(byClock, this.#heartbeatAt, Date.now() + (this.options.pollMs ?? 1000));
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

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  if (limitMs === Number.POSITIVE_INFINITY) return void (await work);
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, limitMs)))]);
  clearTimeout(timer);
}
