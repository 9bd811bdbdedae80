import { type ChildProcess, fork } from 'node:child_process';
import { StaleEpochError, type TaskApi, type Workload } from '@windhover/core';
import { connect } from '../ipc/connect.ts';
import type { IpcChannel } from '../ipc/ipc-channel.ts';
import { serve } from '../ipc/serve.ts';
import { moduleFile, userCodeEnvironment, userCodeExecArgv } from '../loader/user-code-process.ts';
import { Masker } from '../task/masker.ts';
import { SETTINGS_VARIABLE, type TaskProcessApi, type TaskProcessSettings } from '../task/task-process-api.ts';
import { type Assignment, Assignments } from './assignments.ts';
import { OutputTail } from './output-tail.ts';
import { KILL_GRACE_MS, servedTaskApi } from './served-task-api.ts';

export interface WorkerProcessHost {
  readonly taskApi: TaskApi;
  onReady(worker: WorkerProcess): void;
  onStarted(worker: WorkerProcess, workloadId: string): void;
  /** A workload is over; `lostReason` is null if it ended in order. */
  onOver(worker: WorkerProcess, workloadId: string, lostReason: string | null): void;
  /** The process is gone, with these workloads that had not begun. `why` is for people. */
  onExit(worker: WorkerProcess, notBegun: readonly Workload[], why: string): void;
  onOutput(worker: WorkerProcess, line: string): void;
}

/** One child process of a pool: what it was given, what of that has begun, and how it ended. */
export class WorkerProcess {
  readonly codeHash: string;
  /** How many workloads it was given in its life. */
  tasksTaken = 0;
  isReady = false;
  /** It gets no more workloads, and exits after its last. */
  isRetiring = false;
  readonly #host: WorkerProcessHost;
  readonly #settings: TaskProcessSettings;
  readonly #child: ChildProcess;
  readonly #remote: TaskProcessApi;
  readonly #masker = new Masker();
  readonly #tail: OutputTail;
  readonly #assignments = new Assignments();
  #shortInARow = 0;
  #progressAt = performance.now();
  #killTimer: NodeJS.Timeout | undefined;
  #killReason: string | null = null;
  #isRetireSent = false;
  #isGone = false;

  constructor(settings: TaskProcessSettings, host: WorkerProcessHost) {
    this.#host = host;
    this.#settings = settings;
    this.codeHash = settings.codeHash;
    this.#child = fork(moduleFile('../task/task-process', import.meta.url), {
      cwd: settings.projectRoot,
      execArgv: userCodeExecArgv(),
      // Not as an argument, which everybody on the machine may read: the options of a backend may hold a secret.
      env: { ...userCodeEnvironment(), [SETTINGS_VARIABLE]: JSON.stringify(settings) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: what a task starts is killed with it, and Ctrl-C in a terminal reaches only the scheduler.
      detached: true,
    });
    this.#tail = new OutputTail((line) => host.onOutput(this, this.#masker.mask(line)));
    this.#tail.follow(this.#child.stdout!);
    this.#tail.follow(this.#child.stderr!);
    const channel = this.#child as IpcChannel;
    this.#remote = connect<TaskProcessApi>(channel);
    serve<object>(channel, this.#serve());
    this.#child.once('exit', (code, signal) => this.#drain(code, signal));
    // It could not even be started; there is no exit then.
    this.#child.on(
      'error',
      (error) => this.#child.pid === undefined && this.#settle(`could not be started: ${error.message}`),
    );
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get wasKilled(): boolean {
    return this.#killReason !== null;
  }

  get load(): number {
    return this.#assignments.size;
  }

  /**
   * How many workloads it may hold. More than one only while its tasks take almost no time, so that it does not wait for
   * the next one; then a few of them travel in one message.
   */
  get depth(): number {
    return this.#shortInARow >= SHORT_BEFORE_PREFETCH ? PREFETCH_DEPTH : 1;
  }

  take(workloads: readonly Workload[]): void {
    if (this.load === 0) this.#progressAt = performance.now();
    for (const workload of workloads) this.#assignments.add(workload);
    this.tasksTaken += workloads.length;
    // A broken channel is followed by the exit, which tells everything.
    this.#remote.run(workloads).catch(() => {});
  }

  /** Takes back what has not begun. The process is not asked: it is refused when it comes to start one of them. */
  handBack(): readonly Workload[] {
    const { notBegun } = this.#assignments;
    for (const assignment of notBegun) this.#assignments.remove(assignment);
    this.tasksTaken -= notBegun.length;
    return notBegun.map(({ workload }) => workload);
  }

  /** Whether others wait behind a task that takes long, or behind a process that makes no progress. */
  isStalled(stallMs: number): boolean {
    return this.hasPrefetched && performance.now() - this.#progressAt > stallMs;
  }

  get hasPrefetched(): boolean {
    return this.load > 1 && this.#assignments.notBegun.length > 0;
  }

  forgetPace(): void {
    this.#shortInARow = 0;
  }

  /** Whether the workload has begun here; undefined if it is not here. */
  hasBegun(workloadId: string): boolean | undefined {
    const found = this.#assignments.withId(workloadId);
    return found && found.begunAt !== null;
  }

  retire(): void {
    this.isRetiring = true;
    if (this.isReady && this.load === 0 && !this.#isRetireSent) {
      this.#isRetireSent = true;
      this.#remote.retire().catch(() => {});
    }
  }

  /** Asks it to abort what it runs; it has a second until it is killed. */
  kill(reason: string): void {
    this.isRetiring = true;
    this.#killReason ??= reason;
    this.#child.kill('SIGTERM');
    this.#killTimer ??= setTimeout(() => this.#killNow(reason), KILL_GRACE_MS);
  }

  #killNow(reason: string): void {
    this.isRetiring = true;
    this.#killReason ??= reason;
    killGroup(this.#child);
  }

  #serve(): object {
    return servedTaskApi({
      taskApi: this.#host.taskApi,
      settings: this.#settings,
      assignments: this.#assignments,
      masker: this.#masker,
      onReady: () => {
        this.isReady = true;
        this.#host.onReady(this);
      },
      onBegun: ({ begunAt, workload }) => {
        this.#progressAt = begunAt!;
        this.#host.onStarted(this, workload.id);
      },
      onReport: ({ begunAt }) => {
        this.#progressAt = performance.now();
        this.#shortInARow = this.#progressAt - begunAt! < SHORT_MS ? this.#shortInARow + 1 : 0;
      },
      onOver: (assignment, lostReason) => this.#over(assignment, lostReason),
      killProcess: (reason) => this.#killNow(reason),
    });
  }

  #over(assignment: Assignment, lostReason: string | null): void {
    assignment.callOffKill();
    if (!this.#assignments.remove(assignment)) return;
    this.#host.onOver(this, assignment.workload.id, lostReason);
  }

  /** What it had sent before it died is still in the channel, and counts. */
  #drain(code: number | null, signal: NodeJS.Signals | null): void {
    // What the task has started must not go on beside its next try.
    killGroup(this.#child);
    const how = signal ? `was killed by ${signal}` : `exited with code ${code}`;
    if (!this.#child.connected) return void setImmediate(() => this.#settle(how));
    const timer = setTimeout(() => this.#settle(how), DRAIN_MS);
    this.#child.once('disconnect', () => {
      clearTimeout(timer);
      setImmediate(() => this.#settle(how));
    });
  }

  #settle(how: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.isRetiring = true;
    clearTimeout(this.#killTimer);
    const notBegun = this.handBack();
    const why = this.#why(how);
    for (const assignment of this.#assignments.all) this.#settleOne(assignment, why);
    this.#host.onExit(this, notBegun, why);
  }

  #settleOne(assignment: Assignment, why: string): void {
    const report = assignment.report ?? assignment.verdict?.();
    if (!report) this.#over(assignment, why);
    report?.then(
      () => this.#over(assignment, null),
      (error: unknown) => this.#over(assignment, StaleEpochError.isInstance(error) ? null : why),
    );
  }

  #why(how: string): string {
    const reason = this.#killReason ? ` because ${this.#killReason}` : how.endsWith('SIGKILL') ? OUT_OF_MEMORY : '';
    const said = this.#killReason ? '' : this.#tail.last.map((line) => `\n  ${this.#masker.mask(line)}`).join('');
    return `Its process (pid ${this.pid}) ${how}${reason}.${said && ` It said last:${said}`}`;
  }
}

/** Below this a task is short. */
const SHORT_MS = 5;
const SHORT_BEFORE_PREFETCH = 4;
const PREFETCH_DEPTH = 8;
const DRAIN_MS = 200;
const OUT_OF_MEMORY = ', not by its pool; when memory runs out, the system does that';

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It is gone, or there are no groups here, as on Windows.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
}
